package security

// chapter is a chapter of docs/attacks.md.
type chapter struct {
	title    string
	defenses []defense
}

// defense is what Portico does about the attacks of its numbers.
type defense struct{ of, text string }

// defenses has each number of attacks at least once. docs/attacks.md is made of both by
// go test ./test/security -run Catalogue -update.
func defenses() []chapter {
	return []chapter{
		{"Browsers and links", []defense{
			{"083 to 086, 234", "`Origin` and `Sec-Fetch-Site` on every write. `SameSite` cookies. A flow is bound to the browser that began it. No write by GET."},
			{"056 to 060, 087 to 089, 042, 092, 213 to 215, 287, 424", "Return targets of our own and of the listed origins only, compared as origins. Apps are named, and led back to, as the settings have them. A content security policy that allows scripts by hash, and forms that lead to Portico alone. Input is never markup. The page of a mailed link carries out that link only, and ignores a press in its first half second."},
			{"355, 356", "No header names an app, an OpenID client or a provider. All headers of a page have at most 4 KiB, and a longer address is in a page that goes on."},
			{"341", "Each parameter that gives something works once, for one browser, for a short time. A new parameter fails the test until somebody says what keeping it gives."},
			{"062 to 064, 075, 078, 080, 081", "A new token at each sign-in. `__Host-` names."},
			{"076, 082", "No cache may keep a personal page. No script can read a cookie, and web storage has no secret."},
			{"162 to 165, 169, 173", "A form has fixed fields, and the session says whose they are. Each route has its permission in one table. A value is never part of a statement, or a formula."},
			{"077, 225 to 230, 248, 335", "The gateway withholds and deletes the cookies that apps set for the former user, and clears cache and storage. Sign-out deletes our session cookie. At the public host, and not at the host of an app, it also ends the recovery, the opened link and the second step that began in the browser."},
		}},
		{"Apps behind Portico", []defense{
			{"146 to 160, 207, 208, 216, 222 to 224, 239, 240, 360, 361", "Our headers, and headers that name another path or method, are removed in every spelling. The path has one spelling, or the rules of every path that the app may read have to pass. Hop-by-hop headers end here. A request without one clear end is refused, or has its chunks passed on without its Content-Length, and nothing behind it is read. A name has no control or direction characters."},
			{"156, 220, 221", "One writer for the headers of an app, interim answers and trailers removes the fields that it must not set."},
			{"484", "An open request ends when a reload gives its path to an app with another name and another upstream."},
			{"235 to 238", "The ticket travels in a form and never in an address. It is spent when it is presented, lasts seconds, and is bound by a sealed value to the browser that began."},
		}},
		{"External providers", []defense{
			{"110 to 117, 123, 251 to 253, 304, 483", "A sign-in ends at the issuer at which it began. State, nonce, PKCE, issuer, audience and signature are checked, except what a preset cannot have: PKCE at LinkedIn and Slack, the nonce at LinkedIn. Internal addresses are not dialled, redirects not followed, answers bounded (Also FLT-08.)"},
			{"250, 254", "The provider is asked for a new proof, and its `auth_time` decides."},
			{"264", "Only values of `amr` and `acr` that the operator has named count, from a checked ID token with the time of the proof. They change nothing of an account that has a factor of its own."},
		}},
		{"Load and races", []defense{
			{"176, 182 to 186, 219", "Slots and a bounded queue for hashing. Limits of connections, headers, bodies and time. Signed-in users do not wait. (Also FLT-17 to 19.)"},
			{"241", "A minimum pace of bodies to apps. Bodies can be kept until they are complete."},
			{"288, 289", "The size is read before the picture is decoded. The server draws it again as a JPEG of 256 pixels and keeps nothing else. One at a time, and four may wait; an upload ends after a minute; 20 a day for an account. SVG is refused."},
			{"460", "An account has 100 sessions at most. One more ends the one that was used least recently."},
			{"461", "Each password and each set of recovery codes that a user chooses is counted before it is hashed, 30 an hour."},
			{"026, 190", "Single use is one conditional statement. A step is one transaction. (Also FLT-01 to 06.)"},
		}},
		{"The operator's data", []defense{
			{"040, 041, 303, 407", "None of the [data](threat-model.md#assets) grants access by itself. Also imported hashes need the master key."},
			{"406", "A hash of another system is refused [beyond its limit](operating/hashing.md#hashes-of-other-systems), at the import and at the sign-in."},
			{"404, 408, 409", "An [archive](operating/archives.md) is sealed for an age key before it reaches a disk. Each line counts in a hash, and what was changed is refused whole. The import keeps what was used up."},
			{"471", "A restore with `--end-sessions` also ends the trust in browsers, the invitations and the secrets of API keys."},
			{"187, 188", "Toolchain and modules are compared with the known defects. Each installation makes its own secrets."},
			{"231, 256, 257, 491", "A [change of the master key](operating/master-key.md) seals every sealed row again. What an admin gives for an import is one, and goes when the import begins. Once the former key has gone, nothing that it makes is accepted. No command prints a key."},
			{"061, 170 to 172, 204", "A secret is never written, and no command prints a URL that can contain one. A test searches for planted secrets."},
			{"205, 206", "A copy with a foreign schema is refused before anything is written. Commands print control and formatting characters escaped."},
			{"232, 233, 260", "Texts are escaped everywhere. Line breaks, characters that do not print and marks that reverse text are refused with their line. Pictures are checked or drawn again."},
			{"350", "One check for every setting and every name. Typed names are refused, and names from providers are cleaned. Logs and commands escape. Joiners stay where a script or an emoji needs them."},
			{"359", "Typed addresses lose blanks and invisible characters at their ends before anything counts or looks. Others are refused, and the address of a provider is taken as it is given. The message for a URL that is cut short shows nothing of its password."},
			{"351", "Only a regular file is read, judged after it was opened without waiting."},
			{"362", "The proxy gets the name of an origin only if the operator has named it. For any other, Portico resolves the name, judges the address, and asks the proxy for that address."},
			{"218, 352", "Against DNS rebinding, `/metrics` and `/reload` answer only under an address, a private name, or a name of the operator. A reload needs the master key."},
			{"420, 421", "An event for a [webhook](integrating/webhooks.md) has an id, a type and what it is about. The guard judges each address that is dialed, and follows no redirect. Each webhook has its own places. An attempt ends after ten seconds and 2 KiB."},
			{"428, 429", "For the [test requests](integrating/testing.md) of `portico dev`: `Origin` or `Sec-Fetch-Site` on every write, JSON alone, one host name, loopback only. `portico serve` answers 404."},
		}},
		{"Passwords, codes and addresses", []defense{
			{"001 to 010, 294, 330, 339, 405", "The same answer, bytes, steps, rows and work for known and unknown addresses. Only the mailbox is told."},
			{"011 to 023, 174 to 181, 202", "Five attempts, then waits, counted before the check. The count is per address over all networks, and per network with the /56 and /48 around it. Known passwords cannot be chosen. The browsers that the account knows have a count besides, so guessing does not lock the owner out."},
			{"345 to 347, 462", "The browsers that an account knows share one count for each, apart from all other browsers. A browser from before the second factor is unknown. A hundred wrong second factors in a row at most, in all browsers. A step that a change has ended counts no wrong second factor."},
			{"015, 018, 025 to 033, 203, 211", "Five attempts per flow. Ten an hour and a hundred in a row per address, over all its flows. A hundred an hour per network, over all addresses. A form that is sent twice is one flow."},
			{"265, 266", "Codes to sign in have the answers, rows and limits of a recovery. An emailed code is one factor, and the second one of the account is asked for afterwards."},
			{"258, 259", "No account and no session before the terms are accepted. The form names the version that it showed, and only the current one counts."},
		}},
		{"Second factors and passkeys", []defense{
			{"016, 024, 034 to 037, 063, 093 to 102, 243, 244, 410", "Every way in ends at one step that gives no session. A code works once, on all nodes, and wrong ones wait. A wrong recovery code takes one hash, however it begins. A reset leaves factors as they are. A change of factors asks for one that was given in the last ten minutes."},
			{"290 to 292", "A trusted browser skips the code, but trust is not a second factor: the rule `mfa` and changes of the account still ask for one. It belongs to one account, lasts 30 days, and ends with any change of a credential."},
			{"261 to 263, 441", "No session before the second factor that an account needs, or before the owner puts it off within the grace. A page that was open before ends with the first factor. While an alarm closes the account, nobody adds one, and none is asked for."},
			{"336, 338", "Each step is judged again where it ends. Each change of how the account is signed in to ends the flows that began before it ([all steps and changes](pending-steps.md))."},
			{"396 to 398, 440, 482", "Only mapped values count, in their spelling, and only what the settings still give and believe where a sign-in ends. Each identity holds what it gives. A sign-in is judged with the roles that it brings. An answer from before the last decision counts no more, and the last admin stays."},
			{"337", "Only a session with a fresh proof ends waiting sign-ins. A recovery ends with a new password or another address alone."},
			{"242, 464", "The session counts a factor only when one was given in it, and `mfa+fresh` only a recent one. A proof from the future is none."},
			{"038, 103 to 105, 107 to 109, 284 to 286, 293, 324", "The key decides who signs in. User verification, host, origin, purpose and browser are checked. A challenge works once, for five minutes. A counter that goes back is refused, or reported to the owner. As a second factor, only a passkey of the account counts, and changes of the account ask for it. So does a provider that joins the account at a sign-in. A passkey that a browser adds by itself proves nothing until a person gives it. A proven address alone adds a passkey to a new account only."},
		}},
		{"Accounts and email", []defense{
			{"110, 125 to 129, 212", "No account before the proof. The password that counts is confirmed in the browser that chose it. Another browser proves it, or drops it with all other input."},
			{"400, 401, 437", "To an [imported](operating/importing.md) account, each sign-in also proves the mailbox, in the same browser, until somebody has. Whoever proves the mailbox alone gets the account without what came along. Sign-ins that others have begun end, and begin no other with their proofs."},
			{"468", "Another address recovers an imported account only when somebody has proven the primary one."},
			{"469", "To an account whose owner has proven the address, an update brings no password and no identity from a line that does not vouch for the address. It brings no first password to an account without one, and no identity that was removed."},
			{"438", "Changes and notices of an account have [limits](operating/rate-limits.md) a day. Ending sessions, tokens and apps is never refused."},
			{"439", "A code that comes too late is recorded as often as its flow has guesses."},
			{"413, 414, 416", "A [former system](integrating/migrating.md#passwords-that-cannot-be-exported) is asked about imported accounts alone that nobody has touched since, after the limits have counted. Every failed password takes the same place for the same time. Account and setting are judged again when it has answered."},
			{"415", "The former system gets a signed request by a client that follows no redirect and reaches no private address. Two seconds, 4 KiB, and one exact answer. No word about any other account. Off after its last day."},
			{"418", "The app is [asked](integrating/sign-up-question.md) once the address is proven, 10 times an hour, and everything is judged again with its answer. Full places and a visitor who leaves are no failures."},
			{"427", "The app is asked by the guarded client, no redirect, two seconds, 4 KiB. One plain line of 200 characters. A refusal makes and sends nothing."},
			{"054, 201, 331", "One email for each network that has caused none that day. Known browsers and mailed links are outside these counts. 25 emails an hour and 40 a day at most, and 10 and 20 by known browsers."},
			{"442", "What somebody waits for has places of its own, and a claim reads these emails alone."},
			{"043 to 054, 210", "One recipient, a fixed text in the account's language, no header from input, links from `public_url`."},
			{"006, 055, 128, 280 to 283, 295, 348, 349", "The new address is proven in the owner's browser. The former one is kept for 72 hours, and an emailed link takes the account back. The older address wins, and one of less than 72 hours has no link. Opening a link does nothing. An alarm removes what is younger than 72 hours."},
			{"124, 247, 300, 301, 305", "Changes of how to sign in, and copies, ask for a proof of the last ten minutes. The last way in stays. The copy has no secret."},
			{"465", "The copy has the newest 10,000 records."},
			{"209, 217, 332 to 334", "A link of an operator works once, for a time, and gives what its page says. An account with a stronger proof keeps it."},
			{"120, 353, 363", "`portico init` asks, and only a yes opens sign-up. While it is open, `config check`, `doctor`, each start and each reload name the rules and clients that let strangers in. `signup.domains` is judged again where the account is made."},
			{"065 to 074, 122, 249, 302", "Sign-out, reset, a new password, a disabled account and a lost role take effect within a second on every node, for open streams too."},
		}},
		{"Codes and tokens", []defense{
			{"130 to 136, 140 to 145, 267, 268, 315, 271 to 273, 276 to 279, 297 to 299, 323, 454", "Registered addresses in one spelling. PKCE. A code works once, for a minute, for its client, at whatever node. Refresh tokens rotate, and a used one ends its grant. Each check knows grant, account and session as of a second ago at most. A claim that is asked for by name needs its scope and the same consent. Introspection tells the address only to a token that UserInfo tells it. A page reads answers at an origin of its client alone."},
			{"137, 310", "An assertion of a client works once on all nodes, for at most five minutes, for this issuer alone. Keys come from the settings, never from the assertion."},
			{"306 to 308", "Access tokens and the refresh tokens of public clients work with fresh proofs of their key alone. A proof counts once on all nodes, for one request. Nothing that began with a key goes on without it."},
			{"311", "The name of a pushed request has 256 bits, and the database their hash. It belongs to one client, a browser begins within a minute, and one conditional statement uses it up with the code."},
			{"315, 342, 453, 478, 479", "The transaction that gives a code or tokens judges session, account, roles, second factor, consent, and the rules, scopes, resources and addresses of the client. Access tokens are judged by roles, second factor and rules at each use. What has ended by age or idleness does not come back. Every end of a session but its own sign-out and age ends what it has given to clients, also with `offline_access`."},
			{"485", "With `consent`, the user of an app on a device is asked each time: nobody proves which app it is."},
			{"340", "The mark of a new proof in the address is sealed for one request and one browser. It counts only with the session that a new proof has started for it, for ten minutes, until one code is given."},
			{"357", "Only parameters that are no secrets are shown, without queries, cut to 200 bytes, in one line. A text that looks like a secret has a mark in its place. `portico why --client` has twelve kinds of refusals a client, in memory, each with the last three texts that were sent."},
			{"139, 312, 481", "A token names its servers, and UserInfo refuses it then. Types, audiences and keys are checked. A token for a client itself has no user, and no user has the id of the client."},
		}},
		{"Clients that no operator knows", []defense{
			{"319 to 321, 343, 358, 457, 480", "Only with `openid.client_documents`. Users are asked each time, by the host that serves the document. An error before that is a page of Portico. The guard judges each address that is dialed. Size, time, number and network are limited. Documents have no secrets, and count for five minutes. No address is at the host of Portico, and none is the audience of an app. For an address with a private scheme, the page names the scheme alone."},
			{"316, 317, 343", "Only with `openid.registration`. Each registration uses up an initial token of the operator. All addresses of the client lead to one host, which is not the host of Portico. The id of the client contains this host, and users see it each time they are asked. A client cannot name a privilege. Portico calls only two of its addresses, both through the guard: its keys, and back-channel logout at the client's own host. Tokens are stored as hashes. Number, size, network and time are limited."},
		}},
		{"Devices", []defense{
			{"309, 313, 314", "A code does nothing by itself: the page names app, account and code, warns, and wants a press. Codes have 34 bits for 10 minutes, and wrong ones count. One answer counts, and one caller gets the tokens. A user who confirms in spite of the warning is not protected."},
		}},
		{"Access tokens at apps behind Portico", []defense{
			{"322, 455, 456", "Only with `access_tokens`. A token must be for the address of the app and nothing else. Each request is checked against grant, account and session as of a second ago at most, and a stream ends with them, or when a reload gives its path to an app that does not take the token. The app gets no token of Portico, also none for others on its public paths. Cookies do not count beside it."},
			{"430 to 433", "Only with `tokens`. A [token](integrating/tokens.md) opens one app, with roles that its user has now, and proves nothing. Portico refuses it everywhere else and removes it before the app. All that ends every other session ends it on every node."},
			{"434, 435", "Making a token takes a new proof, and is emailed with \"This wasn't me\". The database has a hash, and a token is shown once."},
		}},
		{"Administration", []defense{
			{"375 to 378", "One table of operations and one guard. A change judges the session, the role and the proof again in its transaction. Admins cannot remove themselves, so one remains. Everyone else gets 404."},
			{"384, 385", "Each person is judged as one change, with the role, the account and its flow version. One job runs for each admin."},
			{"380, 381", "Exports and emails that are sent again are recorded with the admin. Each page of a file judges again, and there is one file at once. Filters are exact, and unknown ones are refused."},
			{"393 to 395", "Seals in a chain with a keyed hash. `portico audit verify` names the first that does not fit, and compares with what was kept elsewhere."},
			{"382, 383, 386", "The table of operations names a scope for each, and none opens keys or second factors. Accounts of admins are out of reach. A change judges the secret and its owner again in its transaction."},
			{"364, 365, 425, 426, 450, 451", "An import by an admin or a key makes and changes no admin, and no way in to an account that exists. A scope of its own. Each part judges the admin again. Lines rest sealed, and go back to their sender alone. A file has 32 MiB, a person 200 values in lists, and one draft is kept. A node reads one file of each admin and key at a time, and three in all."},
			{"470", "A file is recognized by its columns, or by the fields of its entries. What is nested in an entry does not count."},
			{"472", "What a line names twice is taken once, and a text that no database keeps is left out."},
			{"474", "No imported user keeps an id that an OpenID client of the settings has."},
			{"475", "A record of CSV ends where its last quote does, and is no person if that is on another line."},
			{"390, 391", "The secret is in one response, and the database has its hash. Cookies do not count beside a key, and other networks get 404."},
			{"392, 446", "One row for each actor and Idempotency-Key, which the transaction of the change marks. Both are limited, and so are bodies: 16 KiB, and 256 KiB for a list of addresses."},
			{"473", "What a request with an Idempotency-Key asks for is kept as a keyed hash."},
			{"445", "With a secret end the invitations and the jobs of its key since it was made, with whichever secret."},
			{"443, 444", "Five emails an hour and twenty a day to a mailbox by all admins and keys, which no operation of theirs lifts. They are counted apart from those of visitors, so that neither keeps the other from the owner. Ten full lists an hour for each."},
			{"436", "What an admin has sent and answers for ends in the transaction that takes the role, or disables, closes or deletes the account."},
			{"168, 370 to 374", "The link of an invitation is a secret, mailed to its address alone, and stored as a hash. It makes one account, of that address. Opening it changes nothing. It is judged where the account is made, also whether its sender is still an admin. A new one goes to the same mailbox, within the limits."},
			{"402", "An account that waits cannot be disabled, and its end leaves it waiting. Enabling it is the approval, with the same record and email from everywhere."},
			{"419", "One email an hour tells how many accounts wait, and names nobody."},
			{"422, 423", "One row can be the link for the first admin. It makes one account in 15 minutes, while there is none, and ends with the next start."},
			{"379", "History and downloads name an operator."},
			{"167", "No answer has a secret, and no operation sets one. A link to get in goes to the user alone."},
			{"399", "Settings refuse names that have a meaning, and a token never loses one of its own claims."},
			{"417", "Answers are plain text of 2 KiB, and addresses are shown without their query. Tests and retries are judged and recorded as changes."},
			{"387", "Every judge and every check of a session looks at the end of the account."},
			{"388, 389", "The transaction counts the admins who remain, and holds that account."},
		}},
	}
}
