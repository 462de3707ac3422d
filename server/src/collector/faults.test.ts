// A server that refuses us says why in plain words. Servers that hang or say nothing, and poison probes, are in
// faults.proof.test.ts.
import { expect, it } from 'vitest';
import { newHouse, SOON } from '../testing/collecting-tests.ts';
import { EVERY_SECOND } from '../testing/every-second.ts';
import { sharedServer } from '../testing/servers/postgres.ts';

it('a wrong password is said as such, without the server’s words', async () => {
  const house = await newHouse();
  const id = await house.connect(await sharedServer(17), { password: 'wrong' });
  house.start({ probes: [EVERY_SECOND] });
  await expect
    .poll(() => house.state(id), SOON)
    .toMatchObject({
      connection_error: 'The password for postgres is wrong, or there is no such role on the server.',
    });
});
