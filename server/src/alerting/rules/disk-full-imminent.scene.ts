// What the probe stores on six days, so that the date of the rule is near or far.
import { disk } from '../../testing/store/date-case-rows.ts';

export const dated = disk;
