// Parts of requests that are no plain text: files, their names and addresses, results of tools, shapes of tools.
import { describe, expect, it } from 'vitest';
import type { ChatBlock, ChatFile, ChatRequest } from '../providers/support/chat-types.ts';
import { maskedChat, maskedEmbed } from './masked-requests.ts';
import { Masker } from './masking.ts';

const C = 'canary1x';
const masker = () => new Masker({ mask_emails: true, mask_addresses: true });
const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');
const request = (more: Partial<ChatRequest>): ChatRequest => ({
  ...{ system: '', messages: [], tools: [], tool_choice: { mode: 'auto' } },
  ...{ response_format: { type: 'text' }, max_tokens: 5, stop_sequences: [], ...more },
});
const blocks = (...all: ChatBlock[]) =>
  maskedChat(masker(), request({ messages: [{ role: 'user', blocks: all }] })).messages[0]?.blocks ?? [];
const file = (more: Partial<ChatFile>): ChatFile => ({
  ...{ type: 'file', media_type: 'image/*', source: { url: 'https://a.example/' }, ...more },
});
/** Also what it says in base64. */
const said = (value: unknown) => {
  const text = JSON.stringify(value);
  const inside = [...text.matchAll(/"data":"([^"]*)"/g)].map(([, data = '']) => Buffer.from(data, 'base64'));
  return [text, ...inside.flatMap((one) => [one.toString('utf8'), one.toString('utf16le')])].join('\n');
};
const PNG = base64(Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex'));
const TEXT = `select 1 where a = '${C}'; password=${C}`;

describe('addresses of files', () => {
  it.each([
    `https://a.example/x.png?token=${C}`,
    `https://a.example/x.png?X-Amz-Signature=${C}&X-Amz-Credential=${C}&w=20`,
    `https://a.example/x.png?sp=r&sig=${C}`,
    `https://a.example/x.png?${C}`,
    `https://a.example/x.png?anything=${C}%2b`,
    `https://a.example/x.png#${C}`,
    `https://${C}@a.example/x.png`,
    `https://u:${C}@a.example/x.png`,
    `https://hooks.slack.com/services/${C}`,
  ])('%s', (url) => {
    const source = { url };
    const result: ChatBlock = {
      ...{ type: 'tool_result', tool_use_id: 'a', is_error: false, content: [file({ source })] },
    };
    expect(said(blocks(file({ source }), result))).not.toContain(C);
    expect(JSON.stringify(maskedEmbed(masker(), { inputs: [[{ image: source }]] }))).not.toContain(C);
  });

  it('stay readable where they say no secret', () => {
    const url = 'https://a.example/charts/load.png?w=200&format=png&v=v2';
    expect(blocks(file({ source: { url } }))).toEqual([file({ source: { url } })]);
    const [one] = blocks(file({ source: { url: `https://a.example/x.png?w=2&token=${C}` } }));
    expect(one).toMatchObject({ source: { url: 'https://a.example/x.png?w=2&token=[secret 1]' } });
  });
});

describe('files', () => {
  it.each([
    ['text/csv', base64(TEXT)],
    ['application/json', base64(JSON.stringify({ password: C, sql: TEXT }))],
    ['application/sql', base64(TEXT)],
    ['application/octet-stream', base64(TEXT)],
    ['image/png', base64(TEXT)],
    ['text/plain', base64(Buffer.from(`\ufeff${TEXT}`, 'utf16le'))],
    ['text/plain', base64(Buffer.concat([Buffer.from([0xe9, 0x20]), Buffer.from(TEXT)]))],
  ])('of the type %s that are text are masked as text', (media_type, data) => {
    const source = { data };
    const one = file({ media_type, source, filename: `password=${C}.sql` });
    const result: ChatBlock = { type: 'tool_result', tool_use_id: 'a', is_error: false, content: [one] };
    expect(said(blocks(one, result))).not.toContain(C);
    expect(said(maskedEmbed(masker(), { inputs: [[{ image: { ...source, media_type } }]] }))).not.toContain(
      C,
    );
  });

  it('that are bytes stay as they are, and texts without a secret do', () => {
    const all = [
      file({ media_type: 'image/png', source: { data: PNG } }),
      file({ media_type: 'application/pdf', source: { data: base64('%PDF-1.7\npassword=x1y2') } }),
      file({
        media_type: 'text/plain',
        source: { data: base64('All is well.\r\n') },
        filename: 'load 5.txt',
      }),
    ];
    expect(blocks(...all)).toEqual(all);
  });

  it('within results of tools that are JSON are read too', () => {
    const document = { media_type: 'text/plain', data: base64(`The plan\n${TEXT}`) };
    const text = JSON.stringify([{ type: 'document', document }]);
    const [one] = blocks({
      type: 'tool_result',
      tool_use_id: 'a',
      is_error: false,
      content: [{ type: 'text', text }],
    });
    const left = JSON.stringify(one).replaceAll('\\"', '"');
    expect(left).toContain('"data":"');
    const data = /"data":"([^"]+)"/.exec(left)?.[1] ?? '';
    expect(Buffer.from(data, 'base64').toString()).toMatch(
      /^The plan\nselect 1 where a = '\[text \d\]'; password=\[secret \d\]$/,
    );
  });
});

describe('shapes', () => {
  it('of tools hold no secret in names, defaults or at any depth', () => {
    const deep = (level: number): Record<string, unknown> =>
      level === 0 ? { default: `password=${C}` } : { items: deep(level - 1) };
    const properties = {
      password: { type: 'string', default: C, examples: [C], description: 'The word to send.' },
      [`token=${C}`]: { type: 'string' },
      page_token: { type: 'string', enum: ['', C] },
    };
    const tools = [
      { name: 'a', description: '', input_schema: { type: 'object', properties, required: ['password'] } },
      { name: 'b', description: '', input_schema: deep(60) },
    ];
    const kept = maskedChat(masker(), request({ tools, stop_sequences: [`password=${C}`, 'END'] }));
    expect(JSON.stringify(kept)).not.toContain(C);
    expect(kept.stop_sequences[1]).toBe('END');
    expect(kept.tools[0]?.input_schema).toMatchObject({
      properties: { password: { type: 'string', description: 'The word to send.' } },
      required: ['password'],
    });
  });
});
