package methods;

import org.apache.kafka.clients.admin.Admin;

/** The table of Admin; its methods by what they are about. */
class AdminTable {
    static MethodTable<Admin> table() {
        MethodTable<Admin> table = new MethodTable<>(Admin.class, Admin::create);
        AdminTopics.add(table);
        AdminGroups.add(table);
        AdminOtherGroups.add(table);
        AdminCluster.add(table);
        AdminSecurity.add(table);
        return table;
    }
}
