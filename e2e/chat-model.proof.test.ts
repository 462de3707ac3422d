// The chat with a model in a browser: an answer with its evidence followed, a reload while it is written, conversations, memories,
// questions asked again, and what a hostile answer cannot do. The model is the mock on the wire.
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type LlmMock, startLlmMock } from '../server/src/testing/llm/llm-mock.ts';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import {
  accessibilityFaults,
  keepPicture,
  openPage,
  sidewaysScroll,
  startLook,
  type Visit,
} from './src/pages.ts';
import { settleIn } from './src/people.ts';

let product: Product;
let browser: Browser;
let admin: Visit;
let mock: LlmMock;

beforeAll(async () => {
  mock = await startLlmMock();
  [product, browser] = await Promise.all([
    // Overviews of the program itself would take the answers that are meant for the chat.
    startProduct('--llm-ollama-base-url', mock.baseUrl('ollama'), '--llm-own-tokens-per-day', '1'),
    startBrowser(),
  ]);
  admin = await openPage(browser, product.url);
  await settleIn(admin.page, product.adminLink);
});

afterEach(() => mock.reset());

afterAll(async () => {
  await browser?.close();
  await product?.stop();
  await mock?.stop();
});

const ANSWER = `## Connections

There are **4711** sessions on [server 1](/servers/1?tab=sessions), see [the manual](https://evil.example/).

| what | count |
| - | - |
| odd | 98,765 |

![x](https://evil.example/p.png) <img src="https://evil.example/q.png">

\`\`\`sql
select 41 + 1 as answer
\`\`\`
`;

interface Opened {
  page: Page;
  chat: Locator;
  ask: (message: string) => Promise<void>;
  faults: string[];
}

async function open(path = '/servers/1'): Promise<Opened> {
  const { page, faults } = await openPage(browser, product.url, { session: admin.context });
  await page.goto(path);
  await page.getByRole('button', { name: 'Chat' }).waitFor();
  await page.keyboard.press('Control+j');
  const chat = page.getByRole('complementary', { name: 'Chat' });
  await chat.getByRole('textbox', { name: 'Question' }).waitFor();
  const ask = async (message: string) => {
    await chat.getByRole('textbox', { name: 'Question' }).fill(message);
    await page.keyboard.press('Enter');
  };
  return { page, chat, ask, faults };
}

/** Calls a tool once, then says the text in pieces. */
function answersAfterAStep(text: string): void {
  let turn = 0;
  mock.say(() => {
    turn += 1;
    return turn === 1
      ? { texts: [], calls: [{ id: 'call_1', name: 'list_connections', pieces: ['{}'] }] }
      : { texts: text.match(/[\s\S]{1,25}/g) ?? [] };
  });
}

it('shows an answer with its steps, marks and a statement to run; nothing of it leads or loads from elsewhere', async () => {
  answersAfterAStep(ANSWER);
  const { page, chat, ask, faults } = await open();
  const outside: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(product.url)) outside.push(request.url());
  });
  await ask('How many connections are there?');
  await chat.getByRole('heading', { name: 'Connections', level: 4 }).waitFor();
  await chat.getByRole('button', { name: 'Run' }).click();
  await chat.getByRole('cell', { name: '42' }).waitFor();
  await chat.getByText('list_connections').click();
  const unproven = chat.locator('[title^="No step"]');
  await expect
    .poll(() => unproven.allInnerTexts())
    .toEqual([expect.stringContaining('4711'), expect.stringContaining('98,765')]);
  expect(await chat.locator('img, a[href^="http"]').count()).toBe(0);
  await keepPicture(page, 'chat-answer-light-1440');
  expect(await accessibilityFaults(page)).toEqual([]);
  await chat.getByRole('link', { name: 'server 1', exact: true }).click();
  await page.waitForURL('**/servers/1?tab=sessions');
  expect(await chat.getByRole('heading', { name: 'Connections', level: 4 }).count()).toBe(1);
  expect(outside).toEqual([]);
  expect(faults).toEqual([]);
});

it('leaves the top bar usable, and fits dark and narrow screens', async () => {
  const { page, chat, ask } = await open();
  answersAfterAStep(ANSWER);
  await ask('How many connections are there?');
  await chat.getByRole('button', { name: 'Run' }).waitFor();
  await page.getByRole('button', { name: /^Find/ }).click({ trial: true });
  await page.getByRole('button', { name: 'Account of admin' }).click({ trial: true });
  for (const index of [0, 1]) {
    await startLook(page, index);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await keepPicture(page, `chat-answer-${colorScheme}-${index === 0 ? 1440 : 390}`);
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await sidewaysScroll(page)).toBe(0);
    }
  }
  // The whole screen.
  expect(await chat.boundingBox()).toMatchObject({ x: 0, y: 0, height: 844 });
});

it('goes on with an answer that is still being written when the page is loaded again', async () => {
  const rest = Promise.withResolvers<void>();
  let turn = 0;
  mock.say(async () => {
    turn += 1;
    if (turn === 1)
      return {
        texts: ['First I look. '],
        calls: [{ id: 'call_1', name: 'list_connections', pieces: ['{}'] }],
      };
    await rest.promise;
    return { texts: ['It is all well.'] };
  });
  const { page, chat, ask } = await open();
  await ask('Is all well?');
  await chat.getByText('First I look.').waitFor();
  await page.reload();
  await chat.getByText('First I look.').waitFor();
  await chat.getByRole('button', { name: 'Stop' }).waitFor();
  rest.resolve();
  await chat.getByText('It is all well.').waitFor();
  await chat.getByRole('button', { name: 'Ask', exact: true }).waitFor();
  await page.reload();
  await chat.getByText('It is all well.').waitFor();
  expect(await chat.getByText('list_connections').count()).toBe(1);
});

it('asks a question again in other words, by keyboard', async () => {
  mock.say({ texts: ['One.'] });
  const { page, chat, ask } = await open();
  await ask('How many?');
  await chat.getByText('One.').waitFor();
  // While an answer is being written a question is kept in its field and not sent.
  await chat.getByRole('button', { name: 'Ask', exact: true }).waitFor();
  await ask('And the others?');
  await expect.poll(() => chat.getByText('One.').count()).toBe(2);
  await chat.getByRole('button', { name: 'Ask', exact: true }).waitFor();
  mock.say({ texts: ['Two.'] });
  await chat.getByRole('button', { name: 'Edit the question' }).first().focus();
  await page.keyboard.press('Enter');
  await chat.getByRole('textbox', { name: 'Question in other words' }).fill('How many by now?');
  await page.keyboard.press('Enter');
  await chat.getByText('Two.').waitFor();
  expect(await chat.getByText('One.').count()).toBe(0);
  expect(await chat.getByRole('heading', { level: 3 }).allInnerTexts()).toEqual(['How many by now?']);
});

it('finds, renames and deletes conversations', async () => {
  mock.say({ texts: ['Since noon.'] });
  const { page, chat, ask } = await open('/');
  await ask('Since when does giraffe wait?');
  await chat.getByText('Since noon.').waitFor();
  await chat.getByRole('button', { name: 'New conversation' }).click();
  await ask('Something else?');
  await chat.getByText('Since noon.').waitFor();
  await chat.getByRole('button', { name: 'Conversations' }).click();
  const list = chat.getByRole('region', { name: 'Conversations' });
  await expect.poll(() => list.getByRole('listitem').first().innerText()).toContain('Something else?');
  await list.getByRole('searchbox').fill('giraffe');
  await expect.poll(() => list.getByRole('listitem').count()).toBe(1);
  await list.getByRole('button', { name: /^Rename/ }).click();
  await list.getByRole('textbox', { name: /^New title/ }).fill('The giraffe of Sunday');
  await page.keyboard.press('Enter');
  await list.getByRole('button', { name: /^The giraffe of Sunday/ }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await list.getByRole('button', { name: /^Delete/ }).click();
  await list.getByRole('button', { name: 'Delete', exact: true }).click();
  await list.getByText('None of yours holds these words.').waitFor();
  await list.getByRole('searchbox').fill('');
  await list.getByRole('button', { name: /^Something else/ }).click();
  await chat.getByText('Since noon.').waitFor();
});

it('remembers what a chat said, and tells it to the model of the next one once it is pinned', async () => {
  mock.say({ texts: ['The batch runs at 02:00.'] });
  const { page, chat, ask } = await open('/');
  await ask('When does the batch run?');
  await chat.getByRole('button', { name: 'Remember this' }).click();
  const memories = chat.getByRole('region', { name: 'Memories' });
  await memories.getByRole('textbox', { name: 'Category' }).fill('schedule');
  await memories.getByRole('button', { name: 'Remember', exact: true }).click();
  await memories.getByRole('button', { name: /^Pin The batch/ }).click();
  await memories.getByText(/^Pinned/).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  const before = mock.generated().length;
  await chat.getByRole('button', { name: 'New conversation' }).click();
  await ask('Is the giraffe well?');
  await chat.getByText('The batch runs at').waitFor();
  expect(JSON.stringify(mock.generated()[before]?.body)).toContain('The batch runs at 02:00.');
  await chat.getByRole('button', { name: 'Memories' }).click();
  await memories.getByRole('button', { name: /^Delete The batch/ }).click();
  await memories.getByRole('button', { name: 'Delete', exact: true }).click();
  await memories.getByText('What chats should know each time is kept here.').waitFor();
});
