// Times of a log whose zone is written as an abbreviation that stands for several, by the name of the server's zone. Pure. Guards: of the
// hour that comes twice in autumn, the abbreviation says which one it is.
import { DAY_MS } from '../../kernel/units.ts';

/** How far a time zone is from UTC at that moment. */
function offsetMs(zone: string, moment: number): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(moment);
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const there = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  return there - Math.floor(moment / 1000) * 1000;
}

/** In Ireland IST is the one of summer, elsewhere that of the whole year or of winter. */
const isSummer = (abbreviation: string, zone: string) =>
  /^(?:[A-Z]+DT|BST)$/.test(abbreviation) ||
  (abbreviation === 'IST' && /^(?:Eire$|Europe\/Dublin)/.test(zone));

/** Of a time that was read as UTC; it stays so where the zone is not known. */
export function inZone(local: number, zone: string, abbreviation: string): number {
  try {
    const [before, after] = [offsetMs(zone, local - DAY_MS), offsetMs(zone, local + DAY_MS)];
    const wanted = isSummer(abbreviation, zone) ? Math.max(before, after) : Math.min(before, after);
    const other = before + after - wanted;
    const isThen = (offset: number) => offsetMs(zone, local - offset) === offset;
    return local - (isThen(wanted) || !isThen(other) ? wanted : other);
  } catch {
    return local;
  }
}
