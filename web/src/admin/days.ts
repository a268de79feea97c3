import type { FieldOf } from './ask-field';

// A day begins at midnight in the zone of the browser, in which the page shows all times.

/** The beginning of a day. What is no day stays as it is, and the server refuses it. */
export function midnightOf(day: string): string {
  const midnight = new Date(`${day}T00:00`);
  return Number.isNaN(midnight.getTime()) ? day : midnight.toISOString();
}

/** The day of a time, as a field has it: 2026-01-31, as in Sweden. */
export const dateOf = (at: string) => at && new Date(at).toLocaleDateString('sv');

/** A field for the day on which something ends. */
export const endField = (label: string, hint: string, more: Partial<FieldOf> = {}): FieldOf => ({
  name: 'ends_at',
  label,
  type: 'date',
  hint: `${hint} The day begins at midnight in your time zone.`,
  ...more,
});
