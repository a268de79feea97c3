export const ANSWER_TIME = 5_000;
export const MAX_ANSWER = 64 << 10;
