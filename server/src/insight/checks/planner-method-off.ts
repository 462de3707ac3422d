// Ways of reading and joining that nobody's queries may use.
import type { Facts, Item } from './facts.ts';
import { hiddenSettings, ofServer, SETTING_COLUMNS, settingRemedy } from './server-setting.ts';
import { defineCheck, type Problem } from './types.ts';

/** The `enable_` settings of the planner. */
const METHOD = /^enable_\w+$/;

const methods = (facts: Facts): string[] =>
  facts
    .rows('pg_settings')
    .map((row: Item) => row.text('name') ?? '')
    .filter((name) => METHOD.test(name));

export const check = defineCheck({
  name: 'planner_method_off',
  category: 'settings',
  title: 'Planner method disabled globally',
  meaning: 'No query of any database can use the method, even where it is best.',
  advice: 'Enable it. Fix the affected query with statistics, indexes or cost settings.',
  caution: 'Plans may change. If needed, disable it only for the role or transaction concerned.',
  source: 'runtime-config-query.html#RUNTIME-CONFIG-QUERY-ENABLE',
  proof: 'stated',
  reads: { pg_settings: SETTING_COLUMNS },
  judge: (facts) => {
    const names = methods(facts);
    const found = names.flatMap((name): Problem[] => {
      const row = ofServer(facts, name);
      if (row?.text('setting') !== 'off' || row.text('boot_val') !== 'on') return [];
      return [
        {
          database_name: '',
          object_name: name,
          severity: 'warning',
          message: `${name} is off for all queries.`,
          figure: null,
          evidence: { [name]: 'off', boot_val: 'on', source: row.text('source') },
          remedy: settingRemedy(facts, { [name]: 'on' }),
        },
      ];
    });
    return { found, unknown: hiddenSettings(facts, names) };
  },
});
