"""Runs a crawl in shards on Ray's workers: python crawl_ray.py ROOT PACKAGES, after 'afcache crawl plan ROOT'; docs/how-to/many-sites.md.

All workers need ROOT at the same path. A worker that dies gives its shard to another one, which resumes.
"""

import subprocess
import sys

import ray


# 75 says that a job was stopped, and asks for another start.
@ray.remote(num_cpus=1, max_retries=10, retry_exceptions=True)
def work(root, shard):
    subprocess.run(["afcache", "crawl", "work", root, "--shard", shard], check=True)


root, packages = sys.argv[1:]
ray.init()
while shards := subprocess.run(["afcache", "crawl", "next", root], check=True, stdout=subprocess.PIPE, text=True).stdout.split():
    ray.get([work.remote(root, shard) for shard in shards])
subprocess.run(["afcache", "crawl", "publish", root, "-o", packages], check=True)
