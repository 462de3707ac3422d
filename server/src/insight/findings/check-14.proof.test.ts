// The scenes of checks on PostgreSQL 14; see check.kit.test.ts.
import { playAlone } from '../../testing/servers/check-scenes/play.ts';

playAlone(14);
