package config

import "strconv"

// Webhook is a receiver of events about accounts.
type Webhook struct {
	Name       string
	URL        string
	Events     []string // types, or "*"
	Secret     string   // in the form of Standard Webhooks
	SecretNext string   // a second one, while the secret is changed; "" for none
	Private    bool     // whether the address may be private, and http

	Key string // prefix of its settings for Source: "webhook.1"
}

func hookKey(n int) string { return hookArray + "." + strconv.Itoa(n) }

// webhook returns the nth webhook. It appends webhooks until there are n.
func (c *Config) webhook(n int) *Webhook {
	for len(c.Webhooks) < n {
		c.Webhooks = append(c.Webhooks, Webhook{Events: []string{"*"}, Key: hookKey(len(c.Webhooks) + 1)})
	}
	return &c.Webhooks[n-1]
}

// hookKeys returns the settings of the nth webhook.
func hookKeys(n int) []key {
	of := func(field func(*Webhook) *string) func(*Config) *string {
		return func(c *Config) *string { return field(c.webhook(n)) }
	}
	prefix := hookKey(n) + "."
	url := of(func(w *Webhook) *string { return &w.URL })
	secret := of(func(w *Webhook) *string { return &w.Secret })
	next := of(func(w *Webhook) *string { return &w.SecretNext })
	return []key{
		text(prefix+"name", of(func(w *Webhook) *string { return &w.Name }), checkHookName,
			"The name of the webhook in commands, logs and metrics: lower-case letters, digits and `_`. Events wait under this name, so a webhook may get another address. The events of a name that is gone are deleted an hour later."),
		text(prefix+"url", url, called(writeHook),
			"The address that gets the events, by POST. It must be https, and its host must have a public address, unless `private` is set. Redirects are not followed.").hiding(url, redactQuery),
		list(prefix+"events", func(c *Config) *[]string { return &c.webhook(n).Events }, anything, sameText,
			"The events that the webhook gets, such as `[\"account.created\", \"account.deleted\"]`. `*` means all, and also those of later versions. See [the events](../integrating/webhooks.md#the-events)."),
		text(prefix+"secret", secret, anything,
			"The secret that signs the requests, in the form of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64, such as `echo whsec_$(openssl rand -base64 32)` prints.").secretly(secret, hide),
		text(prefix+"secret_next", next, anything,
			"A second secret that also signs, while the receiver changes from one to the other.").secretly(next, hide),
		toggle(prefix+"private", func(c *Config) *bool { return &c.webhook(n).Private },
			"Whether `url` may have a private or loopback address, and use http, such as `http://127.0.0.1:3000/portico-events` for an app on the same machine. It opens nothing else."),
	}
}

func checkHookName(s string) (string, *mistake) {
	if !idForm.MatchString(s) {
		return "", &mistake{quoted(s) + " is not the name of a webhook", "write lower-case letters, digits and _, such as shop"}
	}
	return s, nil
}

const writeHook = "write https://shop.example.com/portico-events"

// checkWebhooks adds problems that involve several settings or several webhooks.
func (c *Config) checkWebhooks(add func(key, why, write string, others ...string)) {
	seen := map[string]bool{}
	for _, w := range c.Webhooks {
		at := func(name string) string { return w.Key + "." + name }
		switch {
		case w.Name == "":
			add(at("name"), "the webhook has no name", `write one, such as name = "shop"`)
		case seen[w.Name]:
			add(at("name"), "another webhook has the name "+w.Name, "give each webhook a name of its own")
		}
		if w.URL == "" {
			add(at("url"), "the webhook has no address", writeHook)
		} else {
			checkPrivate(at("url"), at("private"), w.URL, w.Private, "events", "the receiver", add)
		}
		if w.Secret == "" {
			add(at("secret"), "the webhook has no secret, and its receiver could not tell Portico from others", "write the secret that echo whsec_$(openssl rand -base64 32) prints, or secret_file")
		}
		seen[w.Name] = true
	}
}
