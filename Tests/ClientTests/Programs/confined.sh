#!/bin/sh
# Runs a command as support/systemd/afcache.service does, as far as that goes without systemd:
# confined.sh STORE LOGS PROGRAM ARGUMENT...
# In a mount namespace of its own the root is read-only, /tmp is empty, the store is /mnt/store and read-only, the logs are
# /mnt/logs, and the program is /mnt/afcache; the user is nobody, without any capability, and can't get one.
set -eu
store=$1 logs=$2 program=$3
shift 3
mount -t tmpfs -o mode=0755 tmpfs /mnt
mkdir /mnt/store /mnt/logs
: >/mnt/afcache
mount --bind "$store" /mnt/store
mount -o remount,bind,ro /mnt/store
mount --bind "$logs" /mnt/logs
mount --bind "$program" /mnt/afcache
mount -t tmpfs -o mode=1777 tmpfs /tmp
mount -o remount,bind,ro /
cd /
exec setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all "$@"
