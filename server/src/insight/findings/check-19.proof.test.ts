// The scenes of checks on PostgreSQL 19, where its programs are named; see check.kit.test.ts.
import { it } from 'vitest';
import { playAlone, playReplicated } from '../../testing/servers/check-scenes/play.ts';
import { MAJORS } from '../../testing/servers/postgres.ts';

if (MAJORS.includes(19)) {
  playAlone(19);
  playReplicated(19);
} else it.skip('runs where MATRIARCH_TEST_POSTGRES_19 names the programs of PostgreSQL 19');
