# What TestDebian_InstallsAndRemoves runs as root, on a copy of this system's files.
fail() { echo "install.sh: $*"; exit 1; }
is() { [ "$(stat -c '%U:%G %a' "$1")" = "$2" ] || fail "$1 is $(stat -c '%U:%G %a' "$1"), want $2"; }

dpkg -i /portico.deb
is /usr/bin/portico 'root:root 755'
is /etc/portico/portico.toml 'root:portico 640'
is /var/lib/portico 'portico:portico 700'
portico version

# What it names is there: the manual, the documents with all that they link to, the completions.
man portico | grep -q 'portico user create' || fail 'there is no manual'
page=$(portico backup --help | tr -d '\n' | grep -o '/usr/share/doc/portico/docs/[a-z/]*.md') || fail 'the help names no document'
[ -e "$page" ] || fail "there is no $page"
(cd /usr/share/doc/portico && grep -oHE '\]\([^):#, ]+[)#]' -r --include='*.md' . | sed 's/:](/ /; s/.$//' >/links)
while read -r from to; do
	[ -e "/usr/share/doc/portico/$(dirname "$from")/$to" ] || fail "$from links to $to, which is not there"
done </links
[ "$(wc -l </links)" -gt 300 ] || fail 'the links of the documents were not found'
for file in docs/operating/alerts.yml docs/operating/grafana-portico.json packaging/compose/compose.yaml packaging/kubernetes/portico.yaml; do
	[ -e "/usr/share/doc/portico/$file" ] || fail "there is no $file"
done
bash -c '. /usr/share/bash-completion/completions/portico; COMP_WORDS=(portico us) COMP_CWORD=1; _portico; [ "$COMPREPLY" = user ]' || fail 'bash completes nothing'
[ -e /usr/share/zsh/vendor-completions/_portico ] && [ -e /usr/share/fish/vendor_completions.d/portico.fish ] || fail 'completions are missing'

# Filled in by root, in any folder, it serves as its user, which owns the data. There is one database.
as_portico() { setpriv --reuid portico --regid portico --clear-groups "$@"; }
cd /root
portico init --public-url https://login.example.org --mail-from a@example.org --admin mara@example.org --proxy nginx <<'URL' >begun
smtp://mail.example.org
URL
grep -q 'systemctl enable --now portico' begun || fail 'init does not say how to start the service'
is /etc/portico/portico.toml 'root:portico 640'
for file in portico.db secret.key; do is "/var/lib/portico/$file" 'portico:portico 600'; done
[ "$(find /root /etc /var/lib/portico -name portico.db | wc -l)" = 1 ] || fail 'there is another database'
as_portico portico config check
as_portico portico user list | grep -q '^mara@example.org' || fail 'the service does not see the first account'
portico user create ann@example.org
portico secret new 2>/dev/null && fail 'secret_next_file is not set'
PORTICO_SECRET_NEXT_FILE=/var/lib/portico/keys/next.key portico secret new
is /var/lib/portico/keys 'portico:portico 700'
is /var/lib/portico/keys/next.key 'portico:portico 600'
PORTICO_SECRET_FILE=/var/lib/portico/new.key portico config new-key
is /var/lib/portico/new.key 'portico:portico 600'
portico backup /root/copy.db
is /root/copy.db 'root:root 600'
portico restore --replace /root/copy.db
find /var/lib/portico ! -user portico | grep . && fail 'a command of root made a file that the service cannot use'
as_portico portico user list | grep -q '^ann@example.org' || fail 'the service cannot use what root restored'
cd /

# Installed once more, it keeps the settings, and that there are none. Removed, it keeps settings and accounts.
mv /etc/portico/portico.toml /root
dpkg -i /portico.deb
[ ! -e /etc/portico/portico.toml ] || fail 'an upgrade brought deleted settings back'
mv /root/portico.toml /etc/portico
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
