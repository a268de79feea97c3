# install.sh LAYERS PACKAGE: what TestDebian_InstallsAndRemoves runs in a mount
# namespace of its own.
layers=$1 package=$2

# A tmpfs for the layer: overlayfs refuses some file systems, such as another overlay, as its upper one.
mount -t tmpfs tmpfs "$layers"
mkdir "$layers/upper" "$layers/work" "$layers/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$layers/upper,workdir=$layers/work" "$layers/root"
mount -t proc proc "$layers/root/proc"
mount --bind /dev "$layers/root/dev"
cp "$package" "$layers/root/portico.deb"
cat >"$layers/root/inside.sh" <<'INSIDE'
set -eu
export PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive
fail() { echo "install.sh: $*"; exit 1; }
is() { [ "$(stat -c '%U:%G %a' "$1")" = "$2" ] || fail "$1 is $(stat -c '%U:%G %a' "$1"), want $2"; }

dpkg -i /portico.deb
is /usr/bin/portico 'root:root 755'
is /etc/portico/portico.toml 'root:portico 640'
is /var/lib/portico 'portico:portico 700'
portico version

# Filled in, it serves as its user and keeps its files where it says.
sed -i 's/^#public_url/public_url/; s/^#smtp_url/smtp_url/; s/^#mail_from/mail_from/' /etc/portico/portico.toml
as_portico() { (cd /var/lib/portico && setpriv --reuid portico --regid portico --clear-groups env PORTICO_CONFIG=/etc/portico/portico.toml "$@"); }
as_portico portico config check
as_portico portico migrate
as_portico portico config new-key
is /var/lib/portico/portico.db 'portico:portico 600'

# Installed once more, it keeps the settings. Removed, it keeps settings and accounts.
dpkg -i /portico.deb
grep -q '^public_url' /etc/portico/portico.toml || fail 'an upgrade replaced the settings'
is /etc/portico/portico.toml 'root:portico 640'
dpkg -r portico
[ ! -e /usr/bin/portico ] || fail 'the binary is left after a removal'
[ -e /etc/portico/portico.toml ] || fail 'a removal deleted the settings'

# A purge deletes the settings, and nothing that cannot be made again, wherever it lies. It names the rest.
keep='/etc/portico/old.key /etc/portico/wiki.secret /var/lib/portico/portico.db /var/lib/portico/secret.key /var/lib/portico/backups'
touch /etc/portico/old.key /etc/portico/wiki.secret
mkdir /var/lib/portico/backups
dpkg -P portico >said 2>&1 || { cat said; fail 'the purge failed'; }
[ ! -e /etc/portico/portico.toml ] || fail 'the settings are left after a purge'
for kept in $keep; do
	[ -e "$kept" ] || fail "a purge deleted $kept"
	grep -qx "  $kept" said || { cat said; fail "a purge does not say that it kept $kept"; }
done

# The line that it prints removes the rest.
sed -n 's/^  \(rm -rf .*; userdel .*\)/\1/p' said | sh -eu
[ ! -e /etc/portico ] && [ ! -e /var/lib/portico ] && ! getent passwd portico || fail 'something is left after the line that a purge prints'
INSIDE
chroot "$layers/root" sh /inside.sh
