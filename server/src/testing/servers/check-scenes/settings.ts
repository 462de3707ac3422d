// Scenes of checks of settings.
import { expect } from 'vitest';
import { type CheckScene, run } from './scene.ts';

export const SETTING_SCENES: readonly CheckScene[] = [
  {
    check: 'fsync_off',
    async make({ primary }) {
      await run(primary, 'alter system set fsync = off', 'select pg_reload_conf()');
      return () => run(primary, 'alter system reset fsync', 'select pg_reload_conf()');
    },
    isIt: () => true,
    expect: (found) => expect(found).toMatchObject({ severity: 'critical', object_name: 'fsync' }),
  },
];
