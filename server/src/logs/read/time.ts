// The time of a line. Pure but for a minute that is remembered. Guards: the zone of the line counts, so that the hour that a
// server has twice in autumn does not look like a clock that goes back; an unknown zone is named and never guessed.

import { cutText } from '../../kernel/inert-text.ts';
import { HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { inZone } from './in-zone.ts';

/** Hours from UTC of abbreviations that servers are seen to write. Those that stand for several zones are left out. */
const ZONES: Readonly<Record<string, number>> = {
  UTC: 0,
  GMT: 0,
  Z: 0,
  WET: 0,
  WEST: 1,
  CET: 1,
  CEST: 2,
  EET: 2,
  EEST: 3,
  MSK: 3,
  EST: -5,
  EDT: -4,
  CDT: -5,
  MST: -7,
  MDT: -6,
  PST: -8,
  PDT: -7,
  AKST: -9,
  AKDT: -8,
  HST: -10,
  JST: 9,
  KST: 9,
  AEST: 10,
  AEDT: 11,
  AWST: 8,
  NZST: 12,
  NZDT: 13,
  SGT: 8,
  HKT: 8,
};

function offsetOf(zone: string): number | undefined {
  const known = ZONES[zone];
  if (known !== undefined) return known * HOUR_MS;
  const numeric = /^<?([+-])(\d\d)(?::?(\d\d))?>?$/.exec(zone);
  if (numeric === null) return undefined;
  const [, sign, hours, minutes = '0'] = numeric;
  return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS);
}

const digit = (text: string, at: number) => text.charCodeAt(at) - 48;

/** Reads the times of one file. */
export class Times {
  /** Zones that are not known: their times are taken as UTC, and the report says so. */
  readonly unknown = new Set<string>();
  /** How often a line is more than a minute older than the one before. */
  jumpsBack = 0;
  readonly #zone: string | undefined;
  #minute = '';
  #base = 0;
  #newest = Number.NEGATIVE_INFINITY;

  /** `zone`: in which the server writes, where that is known. */
  constructor(zone?: string) {
    this.#zone = zone;
  }

  /** Of `2026-11-27 11:25:15.123 CET`; NaN where it is none. */
  of(text: string): number {
    const minute = cutText(text, 17);
    const hasFraction = text.charCodeAt(19) === 46;
    const zoneAt = hasFraction ? text.indexOf(' ', 20) + 1 : 20;
    const zone = text.slice(zoneAt);
    const key = minute + zone;
    if (key !== this.#minute) {
      this.#base = this.#baseOf(minute, zone);
      this.#minute = key;
    }
    const seconds = digit(text, 17) * 10 + digit(text, 18);
    const ms = hasFraction ? digit(text, 20) * 100 + digit(text, 21) * 10 + digit(text, 22) : 0;
    return this.seen(this.#base + seconds * 1000 + ms);
  }

  /** Of `1795778715.123`, as `%n` writes it. */
  epoch(text: string): number {
    return this.seen(Math.round(Number(text) * 1000));
  }

  /** Looks for clocks that go back, in whatever form the time was read. */
  seen(time: number): number {
    if (time < this.#newest - MINUTE_MS) {
      this.jumpsBack += 1;
      this.#newest = time;
    } else if (time > this.#newest) this.#newest = time;
    return time;
  }

  #baseOf(minute: string, zone: string): number {
    const found = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):$/.exec(minute);
    if (found === null) return Number.NaN;
    const [, year, month, day, hour, minutes] = found.map(Number);
    const utc = Date.UTC(year ?? 0, (month ?? 1) - 1, day ?? 1, hour ?? 0, minutes ?? 0);
    const offset = offsetOf(zone.trim());
    if (offset !== undefined) return utc - offset;
    if (this.#zone !== undefined) return inZone(utc, this.#zone, zone.trim());
    if (this.unknown.size < 8) this.unknown.add(zone.trim());
    return utc;
  }
}
