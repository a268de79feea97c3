package storetest

import (
	"time"

	"portico/internal/clock"
	"portico/internal/openid"
	"portico/internal/store"
)

type devices struct{ *bundle }

// wait stores a device whose user has not answered.
func (b devices) wait(number int, change func(*openid.Device)) openid.Device {
	b.Helper()
	d := full[openid.Device](number)
	d.ExpiresAt, d.GrantID, d.DeniedAt = moment().Add(time.Hour), "", time.Time{}
	if change != nil {
		change(&d)
	}
	if !b.did(func(tx *store.Tx) (bool, error) { return tx.InsertDevice(b.Context(), d) }) {
		b.Fatal("the device is not stored")
	}
	return d
}

func (b devices) find(hash []byte) (openid.Device, bool) {
	b.Helper()
	return find(b.bundle, func(tx *store.Tx) (openid.Device, bool, error) { return tx.DeviceByHash(b.Context(), hash) })
}

func (b devices) answer(d openid.Device, grantID string) bool {
	b.Helper()
	return b.did(func(tx *store.Tx) (bool, error) { return tx.AnswerDevice(b.Context(), d.Hash, grantID, moment()) })
}

func (b devices) InsertDevice_EveryField() {
	d := b.wait(1, func(d *openid.Device) { d.GrantID, d.DeniedAt = "grant", moment() })
	b.wait(2, nil)
	got, ok := b.find(d.Hash)
	if !ok {
		b.Fatal("the device is not found")
	}
	b.equal("the device", got, d)
	twin := full[openid.Device](3)
	twin.UserHash = d.UserHash
	if b.did(func(tx *store.Tx) (bool, error) { return tx.InsertDevice(b.Context(), twin) }) {
		b.Error("two devices have one user code")
	}
}

func (b devices) DeviceByHash_None() {
	b.wait(1, nil)
	if _, ok := b.find([]byte("none")); ok {
		b.Error("a device is found that never began")
	}
}

func (b devices) DeviceByUserHash_ThatOne() {
	d := b.wait(1, nil)
	b.wait(2, nil)
	byUser := func(hash []byte) (openid.Device, bool) {
		return find(b.bundle, func(tx *store.Tx) (openid.Device, bool, error) { return tx.DeviceByUserHash(b.Context(), hash) })
	}
	got, ok := byUser(d.UserHash)
	if !ok {
		b.Fatal("the device is not found")
	}
	b.equal("the device", got, d)
	if _, ok := byUser(d.Hash); ok {
		b.Error("a device is found by another hash")
	}
}

func (b devices) PollDevice_AfterAPause() {
	d := b.wait(1, func(d *openid.Device) { d.PolledAt = moment() })
	poll := func(after time.Time) bool {
		return b.did(func(tx *store.Tx) (bool, error) {
			return tx.PollDevice(b.Context(), d.Hash, moment().Add(time.Minute), after)
		})
	}
	if poll(moment().Add(-time.Microsecond)) || !poll(moment()) || poll(moment().Add(time.Second)) {
		b.Error("not the device that has rested, and that alone, may ask")
	}
	d.PolledAt = moment().Add(time.Minute)
	got, _ := b.find(d.Hash)
	b.equal("the device", got, d)
}

func (b devices) AnswerDevice_Once() {
	d, refused := b.wait(1, nil), b.wait(2, nil)
	b.oneWins(func(tx *store.Tx, _ int) (bool, error) {
		return tx.AnswerDevice(b.Context(), d.Hash, "grant", moment())
	})
	d.GrantID = "grant"
	got, _ := b.find(d.Hash)
	b.equal("the device", got, d)
	if !b.answer(refused, "") || b.answer(refused, "grant") || b.answer(d, "") {
		b.Error("not the first answer, and that alone, counts")
	}
	refused.DeniedAt = moment()
	got, _ = b.find(refused.Hash)
	b.equal("the refused one", got, refused)
	if late := b.wait(3, func(d *openid.Device) { d.ExpiresAt = moment() }); b.answer(late, "grant") {
		b.Error("an answer counts that came too late")
	}
}

func (b devices) UseDevice_Once() {
	use := func(tx *store.Tx, d openid.Device) (bool, error) { return tx.UseDevice(b.Context(), d.Hash, moment()) }
	d, waits := b.wait(1, func(d *openid.Device) { d.GrantID = "grant" }), b.wait(2, nil)
	late := b.wait(3, func(d *openid.Device) { d.GrantID, d.ExpiresAt = "grant", moment() })
	b.oneWins(func(tx *store.Tx, _ int) (bool, error) { return use(tx, d) })
	for _, other := range []openid.Device{waits, late} {
		if b.did(func(tx *store.Tx) (bool, error) { return use(tx, other) }) {
			b.Errorf("the device %x is used", other.Hash)
		}
	}
	if _, ok := b.find(d.Hash); ok {
		b.Error("a used device is still there")
	}
}

func (b devices) Purge_DevicesThatHaveExpired() {
	edge := moment().Add(-clock.MaxSkew)
	gone := b.wait(1, func(d *openid.Device) { d.ExpiresAt = edge.Add(-time.Microsecond) })
	kept := b.wait(2, func(d *openid.Device) { d.ExpiresAt = edge.Add(time.Microsecond) })
	b.purge()
	_, goneThere := b.find(gone.Hash)
	_, keptThere := b.find(kept.Hash)
	if goneThere || !keptThere {
		b.Error("not the device that has expired, and that alone, is gone")
	}
}

func (b devices) Rewind_Devices() {
	d := b.wait(1, nil)
	rewinds(b).rewind(false)
	if _, ok := b.find(d.Hash); ok {
		b.Error("a device of a restored database still waits")
	}
}
