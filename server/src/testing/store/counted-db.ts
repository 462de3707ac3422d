// A database that remembers the statements sent through it, for tests that bound how many a request may cost. When tokens were used
// is written in the background, whenever its turn comes, and belongs to no request.
import type { Db } from '../../kernel/db.ts';

export interface CountedDb extends Db {
  /** Texts of the statements since the last reset, in order. */
  readonly sent: readonly string[];
  reset(): void;
}

const IN_BACKGROUND = '/* access.save_token_uses */';

export function countedDb(db: Db, sent: string[] = []): CountedDb {
  const note = (text: string) => {
    if (!text.includes(IN_BACKGROUND)) sent.push(text);
  };
  return {
    sent,
    reset: () => {
      sent.length = 0;
    },
    rows(statement) {
      note(statement.text);
      return db.rows(statement);
    },
    maybe(statement) {
      note(statement.text);
      return db.maybe(statement);
    },
    one(statement) {
      note(statement.text);
      return db.one(statement);
    },
    run(statement) {
      note(statement.text);
      return db.run(statement);
    },
    transaction: (work) => db.transaction((inner) => work(countedDb(inner, sent))),
  };
}
