#!/bin/sh
# Packs the sites of sites.yaml in eight jobs: sbatch slurm.sh. Each job takes its shard from Slurm's variables; one that is
# requeued resumes. docs/how-to/many-sites.md
#SBATCH --job-name=sites
#SBATCH --array=1-8
#SBATCH --cpus-per-task=2
#SBATCH --mem=1G
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=TERM@60
afcache batch sites.yaml --root "${ROOT:-packages}"
code=$?
# Stopped by SIGTERM, as before the time limit or for another job.
if [ "$code" -eq 75 ]; then
    scontrol requeue "$SLURM_JOB_ID"
fi
exit "$code"
