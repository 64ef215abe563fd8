"""Runs a crawl in shards on Spark's executors: spark-submit crawl_spark.py ROOT PACKAGES, after 'afcache crawl plan ROOT';
docs/how-to/many-sites.md.

All executors need ROOT at the same path. A task that fails is started again ('spark.task.maxFailures'), and resumes.
"""

import subprocess
import sys

from pyspark.sql import SparkSession

root, packages = sys.argv[1:]
context = SparkSession.builder.appName("crawl").getOrCreate().sparkContext


def work(shard):
    subprocess.run(["afcache", "crawl", "work", root, "--shard", shard], check=True)


while shards := subprocess.run(["afcache", "crawl", "next", root], check=True, stdout=subprocess.PIPE, text=True).stdout.split():
    # One task for each shard.
    context.parallelize(shards, len(shards)).foreach(work)
subprocess.run(["afcache", "crawl", "publish", root, "-o", packages], check=True)
