// The scenes of checks on PostgreSQL 17; see check.kit.test.ts.
import { playAlone } from '../../testing/servers/check-scenes/play.ts';

playAlone(17);
