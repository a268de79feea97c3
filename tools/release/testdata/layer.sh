# layer.sh LAYERS PACKAGE SCRIPT HOW: runs a script on a copy of this system's files, a layer above them that is thrown
# away. It runs in a mount namespace of its own. HOW is chroot, or boot: under a systemd that has started there.
layers=$1 package=$2 script=$3 how=$4

# A tmpfs for the layer: overlayfs refuses some file systems, such as another overlay, as its upper one.
mount -t tmpfs tmpfs "$layers"
root=$layers/root
mkdir "$layers/upper" "$layers/work" "$root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$layers/upper,workdir=$layers/work" "$root"
cp "$package" "$root/portico.deb"
cp "$script" "$root/inside.sh"
export PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive
if [ "$how" = chroot ]; then
	mount -t proc proc "$root/proc"
	mount --bind /dev "$root/dev"
	exec chroot "$root" sh -eu /inside.sh
fi

# The services of this machine do not start there: nothing wants them.
cat >"$root/etc/systemd/system/inside.target" <<'UNIT'
[Unit]
Requires=basic.target
After=basic.target
Wants=inside.service
AllowIsolate=yes
UNIT
cat >"$root/etc/systemd/system/inside.service" <<'UNIT'
[Unit]
Requires=basic.target
After=basic.target
[Service]
Type=oneshot
ExecStart=-/bin/sh -c 'sh -eu /inside.sh >/said 2>&1; echo $$? >/code'
ExecStopPost=/bin/systemctl poweroff --no-block
UNIT
echo 1 >"$root/code"
timeout 300 systemd-nspawn --quiet --directory="$root" --machine="portico-test-$$" --register=no --keep-unit --private-network --boot \
	systemd.unit=inside.target </dev/null >"$layers/console" 2>&1 || true
cat "$root/said" || cat "$layers/console"
exit "$(cat "$root/code")"
