package methods;

import org.apache.kafka.clients.admin.Admin;

/** The table of Admin; its methods are in classes by subject. */
class AdminTable {
    static MethodTable<Admin> table() {
        MethodTable<Admin> table = new MethodTable<>(Admin.class, Admin::create);
        AdminTopics.add(table);
        AdminGroups.add(table);
        AdminShareGroups.add(table);
        AdminStreamsGroups.add(table);
        AdminCluster.add(table);
        AdminSecurity.add(table);
        return table;
    }
}
