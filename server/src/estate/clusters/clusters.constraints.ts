// Messages for violated constraints of the tables of clusters and their groups, by the name of the constraint.
import type { ConstraintFaults } from '../../kernel/errors.ts';

export const clusterConstraints: ConstraintFaults = {
  clusters_name_key: [
    'conflict',
    'A cluster of that name exists already; perhaps it was dismissed, then include_dismissed=true lists it.',
  ],
  cluster_groups_name_key: ['conflict', 'A cluster group of that name exists already.'],
};
