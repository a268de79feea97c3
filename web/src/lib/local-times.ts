const DAY = 86_400_000;

/** The words for times in a language: "today, 6:05 AM", "Nov 26, 6:05 AM", "Nov 26, 2025, 6:05 AM". */
export function timeWords(locale: string, now: Date) {
  const form = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options).format;
  const clock = form({ hour: 'numeric', minute: '2-digit' });
  const near = form({ month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' });
  const far = form({ dateStyle: 'medium', timeStyle: 'short' });
  const exact = form({ dateStyle: 'full', timeStyle: 'long' });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const comma = locale === 'ar' ? '، ' : ', ';
  const daysTo = (at: Date) =>
    Math.round((new Date(at).setHours(0, 0, 0, 0) - new Date(now).setHours(0, 0, 0, 0)) / DAY);
  const day = (at: Date) => (Math.abs(daysTo(at)) < 2 ? relative.format(daysTo(at), 'day') : undefined);
  const first = (text: string) => text.replace(/^./u, (letter) => letter.toLocaleUpperCase(locale));
  return {
    clock,
    exact,
    /** For the heading of a group. */
    day: (at: Date) =>
      first(day(at) ?? form({ weekday: 'long', month: 'long', day: 'numeric', ...yearOf(at, now) })(at)),
    short: (at: Date) => {
      const name = day(at);
      if (name) return name + comma + clock(at);
      return (at.getFullYear() === now.getFullYear() ? near : far)(at);
    },
  };
}

const yearOf = (at: Date, now: Date): Intl.DateTimeFormatOptions =>
  at.getFullYear() === now.getFullYear() ? {} : { year: 'numeric' };

/**
 * Writes the times of the document in the zone and the language of the browser. The server writes UTC. A heading of a
 * day is shown where the day of the browser's zone begins. The texts keep their nodes, which React owns.
 */
export function writeLocalTimes(locale: string, now = new Date()): void {
  const words = timeWords(locale, now);
  let above = '';
  for (const element of document.querySelectorAll<HTMLTimeElement>('main time')) {
    if (!element.dateTime) continue;
    const at = new Date(element.dateTime);
    const kind =
      element.dataset['as'] === 'day' || element.dataset['as'] === 'clock' ? element.dataset['as'] : 'short';
    const text = words[kind](at);
    if (element.firstChild) element.firstChild.nodeValue = text;
    if (kind !== 'day') element.title = words.exact(at);
    else {
      element.parentElement?.classList.toggle('same', text === above);
      above = text;
    }
  }
}
