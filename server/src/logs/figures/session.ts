// How long a session lasted. Pure.
import type { Figures } from '../types.ts';

const TIME = /session time: (\d+):(\d\d):([\d.]+)/;

export function sessionFigures(message: string): Figures {
  const found = TIME.exec(message);
  if (found === null) return { session_seconds: null };
  const [, hours, minutes, seconds] = found;
  return { session_seconds: Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) };
}
