// The part of npm run eval that asks a model, with one that speaks to the mock: a right answer and a wrong one are told apart, and
// nothing of the incident is in the question. How causes are read is in incidents-asked.test.ts.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { modelFrom } from '../../testing/incidents/asking.ts';
import { INCIDENTS } from '../../testing/incidents/incidents.ts';
import { IncidentPlayer } from '../../testing/incidents/player.ts';
import { type LlmMock, startLlmMock } from '../../testing/llm/llm-mock.ts';

let mock: LlmMock;
let player: IncidentPlayer;
beforeAll(async () => {
  mock = await startLlmMock({ key: 'key' });
  const llm = modelFrom({
    MATRIARCH_EVAL_PROVIDER: 'openai',
    MATRIARCH_EVAL_API_KEY: 'key',
    MATRIARCH_EVAL_MODEL: 'model-x',
    MATRIARCH_EVAL_BASE_URL: mock.baseUrl('compatible'),
  });
  player = await IncidentPlayer.start(llm);
});
afterAll(async () => {
  await player.close();
  await mock.stop();
});

async function play(name: string, answer: string) {
  const incident = INCIDENTS.find((one) => one.name === name);
  if (!incident) throw new Error(`There is no incident ${name}.`);
  mock.reset();
  mock.say({ texts: [answer] });
  return player.play(incident);
}

const bodies = () => JSON.stringify(mock.generated().map(({ body }) => body));

it('scores a right answer and a wrong one', async () => {
  const right = await play(
    'fsync switched off',
    'Data is not safe.\n\ncause: unused_index\n**cause:** `fsync_off`',
  );
  expect(right.incident.causes).toContain('fsync_off');
  expect(right.asked).toMatchObject({ place: 2, text: expect.stringContaining('Data is not safe.') });
  expect(right.place).toBe(1);
  expect(Object(mock.generated()[0]?.body).model).toBe('model-x');
  const [first] = bodies().match(/What is wrong with this server now.*?The names are/s) ?? [];
  expect(first).not.toMatch(/fsync/);
  const wrong = await play(
    'fsync switched off',
    'It is fine; fsync_off is not the cause.\ncause: unused_index',
  );
  expect(wrong.place).toBe(1);
  expect(wrong.asked).toMatchObject({ place: undefined });
});
