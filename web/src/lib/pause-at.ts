/**
 * Seconds to the next look at a flow, by the age of its email in seconds. Most emails are refused at once. The page says a
 * later refusal within five seconds.
 */
export const pauseAt = (age: number) => Math.min(Math.max(1, age / 2), 4);
