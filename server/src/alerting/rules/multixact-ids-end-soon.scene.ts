// What the probe stores on six days, so that the date of the rule is near or far.
import { aged, ages, type DateCase, ids } from '../../testing/store/date-case-rows.ts';

export const dated: DateCase = { ...ids, rows: (day, left) => [ages(10, aged(day, left))] };
