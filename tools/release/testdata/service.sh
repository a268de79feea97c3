# What TestDebian_Service runs as root under systemd, on a copy of this system's files.
fail() { echo "service.sh: $*"; exit 1; }
state() { [ "$(systemctl show portico -p ActiveState --value)" = "$1" ] || { systemctl status --no-pager portico; fail "$2"; }; }
said() { journalctl --sync; journalctl -u portico -o cat --no-pager | grep -q "$1" || { journalctl -u portico --no-pager; fail "the log does not say: $1"; }; }
systemctl --version | head -1
dpkg -i /portico.deb
[ "$(systemctl show portico -p TimeoutStartUSec --value)" = infinity ] || fail 'a long upgrade of the database is killed'
! systemctl status portico 2>&1 | grep -i 'ignoring' || fail 'this systemd does not know a setting of the unit'

# A start with wrong settings is reported, and not tried for ever: the state would be activating.
if systemctl start portico; then fail 'a start without settings is reported as done'; fi
state failed 'a start without settings is tried again'
said 'not set: public_url'

echo 'smtp://127.0.0.1:25?tls=none' |
	portico init --public-url http://localhost:8080 --mail-from a@example.org --admin mara@example.org --proxy none >begun
systemctl enable --now portico
state active 'it does not start with the settings of init'
portico doctor | grep -q '^ok.server' || fail 'the server is not ready'
[ "$(stat -c %U /var/lib/portico/portico.db-wal)" = portico ] || fail 'the service does not use the database of init'
curl -s -o page -c jar "$(grep -o 'http://localhost:8080/auth/.*' begun)"
curl -s -b jar -H 'Origin: http://localhost:8080' -H 'Content-Type: application/json' -d '{}' http://localhost:8080/auth/api/confirm-link | tee page |
	grep -q '"next":"/auth/' || { cat page; fail 'the service does not know the link of init'; }

# A reload waits for the result. A refused one is a failure, names the reason, and the service goes on.
systemctl reload portico
cp /etc/portico/portico.toml /right
echo 'nonsense = 1' >>/etc/portico/portico.toml
if systemctl reload portico; then fail 'a refused reload is reported as done'; fi
state active 'a refused reload ends the service'
systemctl status --no-pager portico | grep -q 'refused: .*nonsense: unknown setting' || fail 'the status does not say why'
said '^refused.*nonsense: unknown setting'
cp /right /etc/portico/portico.toml
systemctl reload portico
systemctl kill --kill-whom=main --signal=HUP portico
timeout 60 sh -c 'while [ "$(systemctl show portico -p ActiveState --value)" = reloading ]; do sleep 0.1; done'
state active 'a reload by a signal does not end'

# An upgrade restarts it. If the settings do not fit the new version, the package is installed all the same.
before=$(systemctl show portico -p MainPID --value)
dpkg -i /portico.deb
state active 'it does not run after an upgrade'
[ "$(systemctl show portico -p MainPID --value)" != "$before" ] || fail 'an upgrade does not restart it'
echo 'nonsense = 1' >>/etc/portico/portico.toml
dpkg -i /portico.deb | grep 'journalctl -u portico' || fail 'an upgrade does not say that the service does not start'
[ "$(dpkg-query -W -f '${db:Status-Status}' portico)" = installed ] || fail 'wrong settings break the installation'
cp /right /etc/portico/portico.toml

# Removed and installed again, it says how to start.
systemctl start portico
dpkg -r portico
state inactive 'a removed service runs'
dpkg -i /portico.deb | grep 'systemctl enable --now portico' || fail 'an installation does not say how to start'
dpkg -P portico
[ -e /var/lib/portico/secret.key ] || fail 'a purge deleted the key'
