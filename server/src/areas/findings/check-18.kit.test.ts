// The scenes of checks on PostgreSQL 18, everyday without those that are dear; see check.kit.test.ts.
import { playAlone } from '../../testing/servers/check-scenes/play.ts';

playAlone(18);
