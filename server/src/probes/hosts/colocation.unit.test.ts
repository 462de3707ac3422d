import { describe, expect, it } from 'vitest';
import { type Claim, isProved, type ProcessFacts } from './colocation.ts';

const BOOT = 1_795_000_000;
const claim: Claim = {
  backend_pid: 712,
  backend_started_at: (BOOT + 500.4) * 1000,
  postmaster_started_at: (BOOT + 20.1) * 1000,
};
const RUNS = { state: 'S', cpu_ticks: 5 };
const backend = { ...RUNS, pid: 712, comm: 'postgres', ppid: 70, start_ticks: 50_030 };
const postmaster = { ...RUNS, pid: 70, comm: 'postgres', ppid: 1, start_ticks: 1995 };
const processFacts: ProcessFacts = { boot_time_seconds: BOOT, backend, postmaster };

describe('co-location', () => {
  it('is proved by a session and its server that are seen here with the same times', () => {
    expect(isProved(claim, processFacts)).toBe(true);
  });

  it.each<[string, ProcessFacts]>([
    ['the pid is not seen', { ...processFacts, backend: undefined, postmaster: undefined }],
    ['the parent is not seen', { ...processFacts, postmaster: undefined }],
    ['the boot time is unknown', { ...processFacts, boot_time_seconds: undefined }],
    ['another program has the pid', { ...processFacts, backend: { ...backend, comm: 'node' } }],
    [
      'another postgres has the pid and began at another time',
      { ...processFacts, backend: { ...backend, start_ticks: 49_000 } },
    ],
    ['the session is the child of another process', { ...processFacts, backend: { ...backend, ppid: 71 } }],
    ['the parent is no postgres', { ...processFacts, postmaster: { ...postmaster, comm: 'bash' } }],
    [
      'the parent began at another time',
      { ...processFacts, postmaster: { ...postmaster, start_ticks: 3000 } },
    ],
    ['the machine booted at another time', { ...processFacts, boot_time_seconds: BOOT - 60 }],
  ])('is not proved when %s', (_, seen) => {
    expect(isProved(claim, seen)).toBe(false);
  });
});
