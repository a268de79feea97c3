package storetest

type migrations struct{ *bundle }

// Every start migrates: where nothing is to be done, nothing happens.
func (b migrations) Migrate_Again() {
	a := b.person(1)
	applied, err := b.store.Migrate(b.Context())
	if err != nil || len(applied) != 0 {
		b.Errorf("applied %v (%v) to a schema that is up to date", applied, err)
	}
	b.equal("an account", b.account(a.ID), a)
}

func (b migrations) Migrations_AllApplied() {
	all, err := b.store.Migrations(b.Context())
	if err != nil || len(all) == 0 {
		b.Fatalf("%d migrations (%v)", len(all), err)
	}
	last := int64(0)
	for n, m := range all {
		if m.Version <= last || !m.Applied || m.File == "" {
			b.Errorf("migration %d is %+v", n+1, m)
		}
		last = m.Version
	}
}
