"""A fit as files others read, each compared with the fitted model before it is written.

formats        one table: what each format is called, and what writes it
outcome        what writers are given and give back
comparison     random states, and how far torques differ
feasibility    which links and frictions cannot exist
robot_files    the user's own URDF or MJCF with new links and friction; MJCF of any robot
joint_edits    friction and rotor inertia into the text of a robot file
mjcf_writer    MJCF from a tree
tables         JSON and CSV
payload        what a robot carries, as controllers take it
payload_frame  its intervals and statuses in the frame of another link
loads          which files hold a load, and whether they may
expressions    sums of products with constants folded, as lines of code
newton_euler   the inverse dynamics of a tree as such lines
joint_code     the same of joint terms
naming         names of strangers as identifiers and comments
python_module  the lines as a Python module
c_header       the lines as a C header
c_compiler     a header compiled, run and compared
network_code, lagrangian_code, actuator_code   networks, learned energies and drives as C
learned_header a learned model as a C header
"""
