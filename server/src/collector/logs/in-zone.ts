// Times of a log whose zone is written as an abbreviation, by the name of the server's zone. Pure.

/** How far a time zone is from UTC at that local time. */
function offsetMs(zone: string, local: number): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(local);
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const there = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  return there - Math.floor(local / 1000) * 1000;
}

/** Of a time that was read as UTC, since the abbreviation of its zone stands for several. */
export function inZone(local: number, zone: string): number {
  try {
    // The offset at the moment itself, which the first guess may miss around a change of the clock.
    const guess = local - offsetMs(zone, local);
    return local - offsetMs(zone, guess);
  } catch {
    return local;
  }
}
