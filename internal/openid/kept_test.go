package openid

import (
	"strconv"
	"testing"
)

func liveOf(account, id string) Live {
	return Live{Grant: Grant{ID: id, AccountID: account}, User: User{ID: account}}
}

// A grant that was read before its account was dropped is not kept: the change may have
// been committed after the read.
func TestKept_NothingOutOfDate(t *testing.T) {
	t.Parallel()
	for name, drop := range map[string]func(*Keeper){
		"of the account": func(k *Keeper) { k.Drop("mara") },
		"of all":         (*Keeper).DropAll,
	} {
		k := &Keeper{kept: newKept()}
		began := k.Moment()
		k.Keep(liveOf("mara", "one"), began)
		if _, ok := k.kept.get("one"); !ok {
			t.Fatalf("%s: the grant is not kept", name)
		}
		drop(k)
		k.Keep(liveOf("mara", "two"), began)
		for _, id := range []string{"one", "two"} {
			if _, ok := k.kept.get(id); ok {
				t.Errorf("%s: the grant %s is still kept", name, id)
			}
		}
	}
}

// The end of a registered client drops no account, so its grants must not be kept.
func TestKept_NothingOfRegisteredClients(t *testing.T) {
	t.Parallel()
	k := &Keeper{kept: newKept()}
	l := liveOf("mara", "one")
	l.Grant.ClientID = newRegisteredID("app.test")
	k.Keep(l, k.Moment())
	if _, ok := k.kept.get("one"); ok {
		t.Error("the grant is kept")
	}
}

// Grants beyond the limit take the place of others, whose accounts are forgotten too.
func TestKept_Limit(t *testing.T) {
	t.Parallel()
	k := &Keeper{kept: newKept()}
	for n := range mostKept + 100 {
		k.Keep(liveOf(strconv.Itoa(n), strconv.Itoa(n)), k.Moment())
	}
	if grants, accounts := len(k.kept.byID), len(k.kept.accounts); grants > mostKept || accounts > grants {
		t.Errorf("%d grants of %d accounts are kept", grants, accounts)
	}
}
