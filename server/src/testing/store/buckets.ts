// Series of one column over a window: tests look by it at what the store holds.
import type { Db } from '../../kernel/db.ts';
import { type BucketsQuery, type Series, seriesOf, windowsOf } from '../../store/read/buckets.ts';
import { readAllMeasured } from '../../store/read/planned-reads.ts';
import { questionOf } from '../../store/read/question.ts';

export type { BucketsQuery, Series };

/** Of each connection in the order asked; without groups exactly one, of nulls where nothing was measured. */
export async function buckets(db: Db, query: BucketsQuery): Promise<Series[]> {
  const windows = windowsOf(query);
  const question = questionOf(query, query.group_by ?? []);
  const [reading] = await readAllMeasured(db, [question], { windows });
  if (!reading) throw new Error('a question has a reading');
  return seriesOf({ reading, question, windows });
}
