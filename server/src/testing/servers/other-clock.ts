// The answers of a real server as if its clock were another: every moment that it sends is so much later, the start of each session and
// what its clock says included. Guards: statements reach it as they are, and what it computes itself, as the age of something, is right.
import { Transform } from 'node:stream';

const MOMENT = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)((?:\.\d+)?\+00)$/;
const DATA_ROW = 0x44;

/** Of the same length. */
function later(cell: string, ahead_ms: number): string {
  const [, day, time, rest] = MOMENT.exec(cell) ?? [];
  if (day === undefined) return cell;
  const moved = new Date(Date.parse(`${day}T${time}Z`) + ahead_ms).toISOString();
  return `${moved.slice(0, 10)} ${moved.slice(11, 19)}${rest}`;
}

function moveRow(row: Buffer, ahead_ms: number): void {
  let at = 7;
  for (let left = row.readUInt16BE(5); left > 0; left -= 1) {
    const length = Math.max(0, row.readInt32BE(at));
    const cell = row.toString('latin1', at + 4, at + 4 + length);
    if (length >= 22 && length <= 29) row.write(later(cell, ahead_ms), at + 4, 'latin1');
    at += 4 + length;
  }
}

/** Of one session without TLS. */
export function clockAhead(ahead_ms: number): Transform {
  let held = Buffer.alloc(0);
  return new Transform({
    transform(piece: Buffer, _, done) {
      held = Buffer.concat([held, piece]);
      let end = 0;
      while (held.length >= end + 5) {
        const next = end + 1 + held.readUInt32BE(end + 1);
        if (held.length < next) break;
        if (held[end] === DATA_ROW) moveRow(held.subarray(end, next), ahead_ms);
        end = next;
      }
      const whole = held.subarray(0, end);
      held = held.subarray(end);
      done(null, whole);
    },
  });
}
