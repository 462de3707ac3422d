// What the probe stores just beyond the threshold and just not.
import { disk, levels } from '../../testing/store/rule-case-rows.ts';

export const stored = levels('pg_sys_disk_info', [disk(96), disk(95)], { object: '/data' });
