// When to try again. Pure. A server that cannot be reached is asked 1 s later, then ever less often up to once a
// minute; one that refuses us 5 s later, up to every 10 minutes; a probe that fails 15 s later, up to every 10 minutes. Jitter keeps servers that died together from coming
// back together.

const CONNECT_FIRST_MS = 1000;
const CONNECT_MOST_MS = 60_000;
const PATIENT_FIRST_MS = 5000;
const PATIENT_MOST_MS = 600_000;
const PROBE_FIRST_MS = 15_000;
/** Also the time after which a probe that was skipped (grant, extension, version) is looked at again. */
export const PROBE_MOST_MS = 600_000;

const grow = (first: number, most: number, failures: number) =>
  Math.min(most, first * 2 ** Math.min(Math.max(failures, 1) - 1, 30));

/** `random` is from 0 to 1; the delay is between half and all of its step. */
export function connectDelay(failures: number, random: number): number {
  return grow(CONNECT_FIRST_MS, CONNECT_MOST_MS, failures) * (0.5 + random / 2);
}

/** As connectDelay, where trying again helps nobody until something is changed. */
export function patientDelay(failures: number, random: number): number {
  return grow(PATIENT_FIRST_MS, PATIENT_MOST_MS, failures) * (0.5 + random / 2);
}

export function probeDelay(failures: number): number {
  return grow(PROBE_FIRST_MS, PROBE_MOST_MS, failures);
}
