// A collector in a process of its own, for tests that kill or freeze it. Arguments: datastore URL, secret key file,
// and "counters" for the probes of the generator instead of the pulse. Says "ready" once it collects, and ends with its
// standard input.
import { Secret } from '../kernel/secret.ts';
import { collecting } from './collecting.ts';
import { COUNTERS } from './counters.ts';
import { PULSE } from './pulse.ts';

const [url = '', keyFile = '', wanted = ''] = process.argv.slice(2);
const house = await collecting(new Secret(url), keyFile);
house.start({ probes: wanted === 'counters' ? COUNTERS : [PULSE] });
process.stdout.write('ready\n');
process.stdin.resume();
process.stdin.once('end', () => {
  void house.stop();
});
