// Texts with several statements, split as psql would.
import { describe, expect, it } from 'vitest';
import { splitStatements } from './split.ts';

describe('a text is split', () => {
  it.each([
    ['select 1', ['select 1']],
    ['select 1;', ['select 1']],
    [' select 1 ; ; select 2 -- ; x\n;', ['select 1', 'select 2 -- ; x']],
    [`select ';', 'a'';b'; select 2`, [`select ';', 'a'';b'`, 'select 2']],
    [`select e'\\';', 1; select 2`, [`select e'\\';', 1`, 'select 2']],
    [`select '\\'; select 2`, [`select '\\'`, 'select 2']],
    ['select ";" as "a"";b"; select 2', ['select ";" as "a"";b"', 'select 2']],
    ['select /* ; /* ; */ ; */ 1; select 2', ['select /* ; /* ; */ ; */ 1', 'select 2']],
    ['select $$;$$, $a$;$$;$a$; select 2', ['select $$;$$, $a$;$$;$a$', 'select 2']],
    ['select $1; select a$b$; select c$b$', ['select $1', 'select a$b$', 'select c$b$']],
    ['select 1$a$; select 2', ['select 1$a$; select 2']],
    [
      'create rule r as on insert to t do (select 1; select 2); select 3',
      ['create rule r as on insert to t do (select 1; select 2)', 'select 3'],
    ],
    [
      'create function f() returns int begin atomic select case when true then 1 end; select 2; end; select 3',
      [
        'create function f() returns int begin atomic select case when true then 1 end; select 2; end',
        'select 3',
      ],
    ],
    ['-- only a comment\n;/* and another */;', []],
    [`select 'open; select 2`, [`select 'open; select 2`]],
    ['select /* open; select 2', ['select /* open; select 2']],
    ['select $$open; select 2', ['select $$open; select 2']],
    ['sélect ä$é$;b; select 2', ['sélect ä$é$', 'b', 'select 2']],
  ])('%s', (text, statements) => {
    expect(splitStatements(text)).toEqual(statements);
  });
});
