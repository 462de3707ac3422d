import { expect, it } from 'vitest';
import { lateOnPurpose, type Replaying } from './late-standby.ts';

const sender = (replay_lsn: string | null): Replaying => ({ role: 'primary', replay_lsn, is_on_time: null });
const standby = (replay_lsn: string | null, is_on_time: boolean | null): Replaying => ({
  ...{ role: 'standby', replay_lsn, is_on_time },
});

it('excuses the sender whose replay is nearest to that of a standby which waits on purpose, and no other', () => {
  const [near, far, unknown] = [sender('1/100'), sender('0/F0000000'), sender(null)];
  expect(lateOnPurpose([near, far, unknown], [standby('0/EFFFFF00', true)])).toEqual(new Set([far]));
  expect(lateOnPurpose([near, far, unknown], [standby('0/EFFFFF00', false), standby(null, true)])).toEqual(
    new Set(),
  );
  expect(lateOnPurpose([near, far], [standby('0/F0000001', true), standby('0/F0000002', true)])).toEqual(
    new Set([near, far]),
  );
  expect(lateOnPurpose([far], [standby('0/1', true), standby('0/2', true)])).toEqual(new Set([far]));
});

it('believes what a standby says of itself', () => {
  const [late, slow] = [standby('0/1', true), standby('0/1', null)];
  expect(lateOnPurpose([late], [])).toEqual(new Set([late]));
  expect(lateOnPurpose([slow], [late])).toEqual(new Set());
});
