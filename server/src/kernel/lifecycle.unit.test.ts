import { expect, it } from 'vitest';
import { Lifecycle } from './lifecycle.ts';
import { silentLog } from './log.ts';

function watched() {
  const stopped: string[] = [];
  const part = (name: string) => ({
    name,
    async stop() {
      stopped.push(name);
    },
  });
  return { stopped, part };
}

it('stops the last part first, and what a place was given where the place is', async () => {
  const { stopped, part } = watched();
  const lifecycle = new Lifecycle(silentLog);
  lifecycle.add(part('pool'));
  const jobs = lifecycle.place();
  lifecycle.add(part('collector'));
  const empty = lifecycle.place();
  lifecycle.add(part('api'));
  jobs.add(part('first job'));
  jobs.add(part('second job'));
  expect(Object.keys(empty)).toEqual(['add']);
  await lifecycle.stop();
  expect(stopped).toEqual(['api', 'collector', 'second job', 'first job', 'pool']);
});

it('stops at once what comes when everything has been stopped, as from a start that was under way', async () => {
  const { stopped, part } = watched();
  const lifecycle = new Lifecycle(silentLog);
  const place = lifecycle.place();
  place.add(part('early'));
  await lifecycle.stop();
  place.add(part('late'));
  lifecycle.add(part('later'));
  expect(stopped).toEqual(['early', 'late', 'later']);
});
