// What did not fit into memory and went to disk: sorts, hashes, aggregates and what else keeps rows. The workers of a parallel node have
// their own.
import { type Group, groupsAt, isGroup, numberAt, textAt } from './read/document.ts';
import type { Spill } from './types.ts';

export const spillKeys = [
  ...['Sort Space Used', 'Sort Space Type', 'Hash Buckets', 'Original Hash Buckets', 'Hash Batches'],
  ...['Original Hash Batches', 'Peak Memory Usage', 'Planned Partitions', 'HashAgg Batches', 'Disk Usage'],
  ...['Storage', 'Maximum Storage'],
];

function ofSort(group: Group): Spill[] {
  const disk_kb = numberAt(group, 'Sort Space Used');
  if (textAt(group, 'Sort Space Type') !== 'Disk' || disk_kb === null) return [];
  return [{ what: 'sort', disk_kb, memory_kb: null, batches: null }];
}

function ofIncrementalSort(group: Group): Spill[] {
  return ['Full-sort Groups', 'Pre-sorted Groups', 'Incremental Sort Groups'].flatMap((name): Spill[] => {
    const groups = group.get(name);
    const disk = isGroup(groups) ? groups.get('Sort Space Disk') : undefined;
    if (!isGroup(disk)) return [];
    return [
      { what: 'sort', disk_kb: numberAt(disk, 'Peak Sort Space Used'), memory_kb: null, batches: null },
    ];
  });
}

function ofHash(group: Group): Spill[] {
  const batches = numberAt(group, 'Hash Batches');
  if (batches === null || batches <= 1) return [];
  return [{ what: 'hash', disk_kb: null, memory_kb: numberAt(group, 'Peak Memory Usage'), batches }];
}

function ofAggregate(group: Group): Spill[] {
  const batches = numberAt(group, 'HashAgg Batches');
  const disk_kb = numberAt(group, 'Disk Usage');
  if (disk_kb === null || disk_kb === 0) return [];
  return [{ what: 'aggregate', disk_kb, memory_kb: numberAt(group, 'Peak Memory Usage'), batches }];
}

function ofStorage(group: Group): Spill[] {
  if (textAt(group, 'Storage') !== 'Disk') return [];
  return [{ what: 'storage', disk_kb: numberAt(group, 'Maximum Storage'), memory_kb: null, batches: null }];
}

/** Of the node and each of its workers. */
export const spillsOf = (group: Group): Spill[] =>
  [group, ...groupsAt(group, 'Workers')].flatMap((one) => [
    ...ofSort(one),
    ...ofIncrementalSort(one),
    ...ofHash(one),
    ...ofAggregate(one),
    ...ofStorage(one),
  ]);
