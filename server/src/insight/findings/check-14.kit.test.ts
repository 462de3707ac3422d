// The scenes of checks on PostgreSQL 14, everyday those that are quick, in the proof the others; see check.kit.test.ts.
import { playAlone } from '../../testing/servers/check-scenes/play.ts';

playAlone(14);
