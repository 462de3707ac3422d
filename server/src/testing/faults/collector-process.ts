// A collector in a process of its own, for tests that kill or freeze it. Arguments: datastore URL, secret key file,
// "counters" for the probes of the generator instead of the pulse, "logs" for the pulse and the log of each server, where its spool is, if it has one, and by how many
// milliseconds its clock is wrong. Says "ready" once it collects, and ends with its standard input.
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import { openSpoolHome } from '../../store/spool/home.ts';
import { CONFIG, collecting } from '../collecting.ts';
import { EVERY_SECOND } from '../every-second.ts';
import { KEPT_LINES } from '../logs/kept-lines.ts';
import { COUNTERS } from './counters.ts';

const [url = '', keyFile = '', wanted = '', root = '', wrong = '0'] = process.argv.slice(2);
const house = await collecting(new Secret(url), keyFile);
const common = { minFreeBytes: 0, maxBytes: 64 * 1024 * 1024, clock: systemClock, log: silentLog };
const spool = root === '' ? 'none' : await openSpoolHome({ ...common, root });
const clock = { ...systemClock, now: () => systemClock.now() + Number(wrong) };
const config = { ...CONFIG, read_logs: wanted === 'logs' };
const lines = KEPT_LINES;
house.start({ probes: wanted === 'counters' ? COUNTERS : [EVERY_SECOND], spool, clock, config, lines });
process.stdout.write('ready\n');
process.stdin.resume();
process.stdin.once('end', () => {
  void house.stop().then(() => (typeof spool === 'object' ? spool.stop() : undefined));
});
