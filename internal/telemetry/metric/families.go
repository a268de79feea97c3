package metric

import (
	"strconv"

	"portico/internal/server"
	"portico/internal/store"
)

func buildFamilies() []family {
	return []family{{
		"portico_build_info", gauge, []string{"version", "revision", "go"}, "The running version; always 1.",
		func(f *Figures, e *emitter) { e.value(1, f.Build.Version, f.Build.Revision, f.Build.Go) },
	}, plain("portico_node_settings_different", gauge, "Settings in which another node on the same database differs from this one (PostgreSQL).",
		func(f *Figures) int { return f.Differing })}
}

func requestFamilies() []family {
	return []family{
		{
			"portico_http_requests_total", counter, []string{"route", "method", "status"},
			"Requests of the public listener, by the pattern of their route (none: no route), method (GET: HEAD too) and class of the answer. 499, the client has gone, counts as 4xx. Status none: broken off without an answer.",
			func(f *Figures, e *emitter) {
				for _, r := range f.Requests {
					for class, n := range r.Answers {
						if class >= 2 || n > 0 {
							e.value(float64(n), r.Route, r.Method, statusClass(class))
						}
					}
				}
			},
		},
		{
			"portico_http_request_duration_seconds", histogram, []string{"route", "method"},
			"Time from the header of a request to the end of its answer. Absent for a route without a request.",
			func(f *Figures, e *emitter) {
				for _, r := range f.Requests {
					if r.Duration.Count > 0 {
						e.durations(r.Duration, r.Route, r.Method)
					}
				}
			},
		},
		{
			"portico_csp_violations_total", counter, []string{"directive"},
			"Violations of the content policies that browsers report. Anybody can send such a report.",
			func(f *Figures, e *emitter) { e.each(f.Violations) },
		},
	}
}

func statusClass(class int) string {
	if class == 0 {
		return server.NoRoute
	}
	return strconv.Itoa(class) + "xx"
}

func flowFamilies() []family {
	return []family{
		{
			"portico_flow_steps_total", counter, []string{"flow", "step", "outcome"},
			"Steps of people, by the flow that they belong to (unknown: the step did not find its flow) and by how they ended: done, abandoned by the client, or the kind of the fault.",
			func(f *Figures, e *emitter) {
				for end, n := range f.Flows.Steps {
					e.value(float64(n), end.Flow, end.Step, end.Outcome)
				}
			},
		},
		{
			"portico_signins_total", counter, []string{"method"}, "Sessions started, by what proved who the person is.",
			func(f *Figures, e *emitter) { e.each(f.Flows.SignIns) },
		},
		{
			"portico_signups_total", counter, []string{"method"}, "Accounts that people have made, by what proved their address.",
			func(f *Figures, e *emitter) { e.each(f.Flows.SignUps) },
		},
		{
			"portico_wrong_guesses_total", counter, []string{"secret"},
			"Guesses that were compared and wrong, for all accounts and addresses: a password, code, second factor or passkey, or the password that a mailed link asks for.",
			func(f *Figures, e *emitter) { e.each(f.Flows.Wrong) },
		},
		{
			"portico_throttle_refusals_total", counter, []string{"limit"},
			"Attempts that a limit refused, by its name. A limit of emails holds one back. Another limit may then permit the email, or the attempt of a known browser. The limits of unknown mail hold back without a notice.",
			func(f *Figures, e *emitter) { e.each(f.Flows.Refused) },
		},
	}
}

func sessionFamilies() []family {
	return []family{
		plain("portico_session_cache_hits_total", counter, "Session checks that were answered from memory.",
			func(f *Figures) uint64 { return f.Sessions.Hits }),
		plain("portico_session_cache_misses_total", counter, "Session checks that asked the database.",
			func(f *Figures) uint64 { return f.Sessions.Misses }),
		plain("portico_session_cache_sessions", gauge, "Sessions in memory.",
			func(f *Figures) int { return f.Sessions.Size }),
	}
}

func hashingFamilies() []family {
	return []family{
		plain("portico_hashing_slots", gauge, "Slots for hashing and judging passwords.",
			func(f *Figures) int { return f.Hashing.Slots }),
		plain("portico_hashing_slots_in_use", gauge, "Slots that are taken.",
			func(f *Figures) int { return f.Hashing.Running }),
		plain("portico_hashing_waiting", gauge, "Pieces of work that wait for a slot.",
			func(f *Figures) int { return f.Hashing.Waiting }),
		plain("portico_hashing_shed_total", counter, "Pieces of work that were turned away with 503, because the queue was full or the wait too long.",
			func(f *Figures) uint64 { return f.Hashing.Refused }),
		plain("portico_hashing_abandoned_total", counter, "Pieces of work whose caller left the queue.",
			func(f *Figures) uint64 { return f.Hashing.Abandoned }),
		{
			"portico_hashing_duration_seconds", histogram, nil, "Time that one piece of work takes its slot: a hash, or the judging of a new password.",
			func(f *Figures, e *emitter) { e.durations(f.Hashes) },
		},
	}
}

func mailFamilies() []family {
	return []family{
		ofQueue("portico_outbox_waiting", "Messages that wait or are being sent, counted up to 10,000: awaited (emails that somebody waits for), mail (other emails), logouts and guest_logouts (to clients, about ended sessions). Absent when the database does not answer.",
			func(q Queue) float64 { return float64(q.Waiting) }),
		ofQueue("portico_outbox_oldest_age_seconds", "Age of the oldest message that waits. Absent when the database does not answer.",
			func(q Queue) float64 { return q.Oldest.Seconds() }),
		ofQueue("portico_outbox_dead", "Messages that were given up, counted up to 10,000 in all lanes. Absent when the database does not answer.",
			func(q Queue) float64 { return float64(q.Dead) }),
		plain("portico_outbox_sent_total", counter, "Emails that the mail server has accepted.",
			func(f *Figures) uint64 { return f.Mail.Sent }),
		plain("portico_outbox_retried_total", counter, "Deliveries that failed and will be tried again.",
			func(f *Figures) uint64 { return f.Mail.Failed }),
		plain("portico_outbox_given_up_total", counter, "Emails that were given up.",
			func(f *Figures) uint64 { return f.Mail.Dead }),
		plain("portico_outbox_expired_total", counter, "Emails that were not sent before what they say had expired.",
			func(f *Figures) uint64 { return f.Mail.Expired }),
	}
}

// ofQueue returns a gauge that is absent while the state of the outbox is
// unknown. Zero would look like an empty queue.
func ofQueue(name, help string, read func(Queue) float64) family {
	return family{name, gauge, []string{"lane"}, help, func(f *Figures, e *emitter) {
		for _, q := range f.Queues {
			e.value(read(q), q.Lane)
		}
	}}
}

func databaseFamilies() []family {
	return []family{
		plain("portico_database_up", gauge, "Whether the database has answered this scrape, and takes writes.", func(f *Figures) int {
			if len(f.Queues) == 0 {
				return 0
			}
			return 1
		}),
		{
			"portico_database_connections", gauge, []string{"pool", "state"}, "Connections, by pool and state (idle, in_use).",
			eachPool(func(p store.Pool, e *emitter) {
				e.value(float64(p.Open-p.InUse), p.Name, "idle")
				e.value(float64(p.InUse), p.Name, "in_use")
			}),
		},
		{
			"portico_database_connections_max", gauge, []string{"pool"}, "Connections that a pool may have.",
			eachPool(func(p store.Pool, e *emitter) { e.value(float64(p.Max), p.Name) }),
		},
		{
			"portico_database_connection_waits_total", counter, []string{"pool"}, "Times that somebody waited for a connection.",
			eachPool(func(p store.Pool, e *emitter) { e.value(float64(p.Waits), p.Name) }),
		},
		{
			"portico_database_connection_wait_seconds_total", counter, []string{"pool"}, "Time that was spent waiting for a connection.",
			eachPool(func(p store.Pool, e *emitter) { e.value(p.Waited.Seconds(), p.Name) }),
		},
		plain("portico_database_writes_queued", gauge, "Writes that wait for their turn (SQLite).",
			func(f *Figures) int { return f.Database.Queued }),
		plain("portico_database_writes_failed_total", counter, "Writes that could not be stored and were answered with 503: the disk is full or fails (SQLite).",
			func(f *Figures) uint64 { return f.Database.Failed }),
		{
			"portico_database_commit_duration_seconds", histogram, nil, "Time of one COMMIT, until it is on the disk.",
			func(f *Figures, e *emitter) { e.durations(f.Database.Commit) },
		},
		{
			"portico_database_commit_writes", histogram, nil, "Writes that shared one commit (SQLite).",
			func(f *Figures, e *emitter) { e.sizes(f.Database.Group) },
		},
	}
}

func appFamilies() []family {
	return []family{
		{
			"portico_tls_certificate_expiry_timestamp_seconds", gauge, []string{"certificate"},
			"When the certificate expires, as Unix time; 0 while there is none. By host, or by the path of tls.cert_file. Only when Portico terminates TLS.",
			func(f *Figures, e *emitter) {
				for _, c := range f.Certificates {
					at := 0.0
					if !c.Expires.IsZero() {
						at = float64(c.Expires.Unix())
					}
					e.value(at, c.Name)
				}
			},
		},
		{
			"portico_tls_certificate_failing", gauge, []string{"certificate"},
			"1 while the newest attempt to get or to read the certificate has failed, else 0. The log has the reason.",
			func(f *Figures, e *emitter) {
				for _, c := range f.Certificates {
					e.flag(c.Failing, c.Name)
				}
			},
		},
		{
			"portico_app_up", gauge, []string{"app"},
			"0 while an app does not answer and visitors are shown a page that says so, else 1.",
			func(f *Figures, e *emitter) {
				for _, a := range f.Apps {
					e.flag(a.Up, a.Name)
				}
			},
		},
		{
			"portico_app_unanswered_total", counter, []string{"app"},
			"Requests for an app that it did not answer, including requests that were not sent to it while it was down.",
			func(f *Figures, e *emitter) {
				for _, a := range f.Apps {
					e.value(float64(a.Unanswered), a.Name)
				}
			},
		},
	}
}

func webhookFamilies() []family {
	return []family{
		{
			"portico_legacy_answers_total", counter, []string{"answer"},
			"Questions to the system of `signin.legacy`, by its answer: right, wrong, or failed (none that can be used). refused: sign-ins that found all places taken.",
			func(f *Figures, e *emitter) {
				e.value(float64(f.Legacy.Right), "right")
				e.value(float64(f.Legacy.Wrong), "wrong")
				e.value(float64(f.Legacy.Failed), "failed")
				e.value(float64(f.Legacy.Refused), "refused")
			},
		},
		{
			"portico_signup_questions_total", counter, []string{"answer"},
			"Questions to the app of `signup.ask`, by its answer: allowed, refused, or failed (none that can be used). busy: sign-ups that found all places taken.",
			func(f *Figures, e *emitter) {
				e.value(float64(f.Questions.Allowed), "allowed")
				e.value(float64(f.Questions.Refused), "refused")
				e.value(float64(f.Questions.Failed), "failed")
				e.value(float64(f.Questions.Busy), "busy")
			},
		},
		{
			"portico_webhook_attempts_total", counter, []string{"webhook", "result"},
			"Attempts to send an event to a webhook, by result: delivered, failed (it is sent again) or dropped (after three days, or answered 410).",
			func(f *Figures, e *emitter) {
				for _, w := range f.Webhooks {
					e.value(float64(w.Delivered), w.Name, "delivered")
					e.value(float64(w.Failed), w.Name, "failed")
					e.value(float64(w.Dropped), w.Name, "dropped")
				}
			},
		},
		{
			"portico_webhook_waiting", gauge, []string{"webhook"}, "Events that wait for a webhook, counted up to 10,000.",
			func(f *Figures, e *emitter) {
				for _, w := range f.Webhooks {
					e.value(float64(w.Waiting), w.Name)
				}
			},
		},
		{
			"portico_webhook_oldest_seconds", gauge, []string{"webhook"}, "Age of the oldest event that waits for a webhook.",
			func(f *Figures, e *emitter) {
				for _, w := range f.Webhooks {
					e.value(w.Oldest.Seconds(), w.Name)
				}
			},
		},
	}
}

func traceFamilies() []family {
	return []family{
		plain("portico_trace_spans_sent_total", counter, "Spans that the collector has taken.",
			func(f *Figures) uint64 { return f.Traces.Sent }),
		plain("portico_trace_spans_lost_total", counter, "Spans that could not be sent.",
			func(f *Figures) uint64 { return f.Traces.Lost }),
	}
}

func eachPool(write func(store.Pool, *emitter)) func(*Figures, *emitter) {
	return func(f *Figures, e *emitter) {
		for _, p := range f.Database.Pools {
			write(p, e)
		}
	}
}
