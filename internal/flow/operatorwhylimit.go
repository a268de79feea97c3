package flow

import (
	"portico/internal/account"
	"portico/internal/throttle"
)

// accountAttempts returns all limits whose subject is the account.
func accountAttempts(a account.Account) []throttle.Attempt {
	all := factorAttempts(a)
	for _, l := range []throttle.Limit{factorNotice, dataDay, portraitDay, profileDay, changeDay, choiceHour, endedDay, deviceCode} {
		all = append(all, throttle.Attempt{Limit: l, Subject: a.ID})
	}
	return all
}

// effect says what a limit does to an address or an account while it is used up, and whether
// that refuses anything.
func effect(l throttle.Limit) (words string, refusing bool) {
	if what, ok := holdsBack()[l.Name]; ok {
		return "refuses nothing, holds back " + what, false
	}
	return "refuses " + refuses()[l.Name], true
}

// holdsBack has the limits that only keep emails from being sent.
func holdsBack() map[string]string {
	return map[string]string{
		noticeDay.Name:    "notices of wrong passwords",
		deviceDay.Name:    "notices of sign-ins in new browsers",
		factorNotice.Name: "notices of wrong second factors",
		endedDay.Name:     "notices of what the owner has ended, and of trusted browsers",
		unknownDay.Name:   "the email that there is no account",
	}
}

// refuses has what the other limits refuse.
func refuses() map[string]string {
	const unknown, known = " in unknown browsers", " in known browsers, which then count as unknown ones,"
	return map[string]string{
		passwordLadder.Name: "passwords" + unknown,
		passwordKnown.Name:  "passwords" + known,
		codeAddress.Name:    "emailed codes" + unknown + " (the mailed link works)",
		codeRow.Name:        "emailed codes" + unknown + " (the mailed link works)",
		codeKnown.Name:      "emailed codes" + known,
		codeKnownRow.Name:   "emailed codes" + known,
		factorRow.Name:      "second factors" + unknown,
		factorLadder.Name:   "second factors" + unknown,
		factorKnown.Name:    "second factors" + known,
		mailHour.Name:       "emails that unknown browsers ask for (one for each further network today)",
		mailDay.Name:        "emails that unknown browsers ask for (one for each further network today)",
		mailSpare.Name:      "the one email for each further network",
		mailKnownHour.Name:  "emails that known browsers ask for, which then count as unknown ones,",
		mailKnownDay.Name:   "emails that known browsers ask for, which then count as unknown ones,",
		dataDay.Name:        "copies of the account's data",
		portraitDay.Name:    "new pictures",
		profileDay.Name:     "new names and languages",
		changeDay.Name:      "changes of how the account is signed in to",
		choiceHour.Name:     "new passwords and recovery codes on the account pages",
		deviceCode.Name:     "user codes of devices",
	}
}
