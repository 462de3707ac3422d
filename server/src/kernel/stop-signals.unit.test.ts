import { describe, expect, it } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import { onStop, stopPolicy } from './stop-signals.ts';

function recorder() {
  const clock = manualClock(0);
  const calls: string[] = [];
  const stop = (reason: string) => calls.push(`stop ${reason}`);
  const force = (reason: string) => calls.push(`force ${reason}`);
  return { clock, calls, heard: stopPolicy({ stop, force, clock }) };
}

describe('stopPolicy', () => {
  it('takes the echoes of one Ctrl-C as one', () => {
    const { clock, calls, heard } = recorder();
    heard('SIGINT');
    heard('SIGINT');
    clock.advance(1000);
    heard('SIGTERM');
    expect(calls).toEqual(['stop SIGINT']);
  });

  it('takes a later signal as impatience', () => {
    const { clock, calls, heard } = recorder();
    heard('SIGTERM');
    clock.advance(1500);
    heard('SIGINT');
    expect(calls).toEqual(['stop SIGTERM', 'force SIGINT']);
  });

  it('stops when the starter is gone, and that alone never forces', () => {
    const { clock, calls, heard } = recorder();
    heard('starter gone');
    clock.advance(5000);
    heard('starter gone');
    expect(calls).toEqual(['stop starter gone']);
  });
});

describe('SIGHUP', () => {
  it.each([
    ['ends a program at a terminal', false, ['stop SIGHUP']],
    ['is for reading settings again elsewhere', true, ['reread', 'reread']],
  ])('%s', (_name, isService, expected) => {
    const calls: string[] = [];
    const release = onStop({
      stop: (reason) => calls.push(`stop ${reason}`),
      force: (reason) => calls.push(`force ${reason}`),
      ...(isService && { reread: () => calls.push('reread') }),
    });
    process.emit('SIGHUP');
    process.emit('SIGHUP');
    release();
    expect(calls).toEqual(expected);
  });
});
