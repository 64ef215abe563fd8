#!/bin/sh
# Works on one shard of a crawl in the current round. For the shards that 'afcache crawl next' prints:
# sbatch --wait --array="$(echo $shards | tr ' ' ,)" crawl-slurm.sh. One that is requeued resumes. docs/how-to/many-sites.md
#SBATCH --job-name=crawl
#SBATCH --cpus-per-task=2
#SBATCH --mem=1G
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=TERM@60
afcache crawl work "${ROOT:-night}" --shard "$SLURM_ARRAY_TASK_ID"
code=$?
# Stopped by SIGTERM, as before the time limit or for another job.
if [ "$code" -eq 75 ]; then
    scontrol requeue "$SLURM_JOB_ID"
fi
exit "$code"
