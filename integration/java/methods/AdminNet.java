package methods;

import org.apache.kafka.clients.admin.Admin;

/** The net of Admin; its methods by what they are about. */
class AdminNet {
    static Net<Admin> net() {
        Net<Admin> net = new Net<>(Admin.class, Admin::create);
        AdminTopics.add(net);
        AdminGroups.add(net);
        AdminOtherGroups.add(net);
        AdminCluster.add(net);
        AdminSecurity.add(net);
        return net;
    }
}
