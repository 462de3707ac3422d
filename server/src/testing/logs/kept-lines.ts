// What collectors of tests keep of lines of logs.
export const KEPT_LINES = { bytes_per_day: 64 * 1024 * 1024, keep_literals: false };
