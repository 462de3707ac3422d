// A collector in a process of its own, for tests that kill or freeze it. Arguments: datastore URL, secret key file.
// Says "ready" once it collects, and ends with its standard input.
import { Secret } from '../kernel/secret.ts';
import { collecting } from './collecting.ts';
import { PULSE } from './pulse.ts';

const [url = '', keyFile = ''] = process.argv.slice(2);
const house = await collecting(new Secret(url), keyFile);
house.start({ probes: [PULSE] });
process.stdout.write('ready\n');
process.stdin.resume();
process.stdin.once('end', () => {
  void house.stop();
});
